import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { generate } from "./generate.ts";
import { coveredRules } from "./rule-coverage.ts";

const controlPage = "packages/mock/src/steering/control/page";
const testFile = "packages/mock/src/rules.test.ts";

/** A small repository whose generated files are up to date. */
async function setUp() {
  const root = mkdtempSync(join(tmpdir(), "generate-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const source = join(import.meta.dirname, "..", controlPage);
  cpSync(source, join(root, controlPage), { recursive: true });
  write("spec/openapi.json", '{ "openapi": "3.1.0", "info": {}, "paths": {} }');
  const rule = { section: "Limits", rule: "A key has a limit.", open: true };
  const key = { ...rule, id: "limits.key", shown_by: ["server"], options: ["refund"] };
  const rules = [key, { ...rule, id: "limits.docs", shown_by: ["docs"] }];
  write("spec/rules.json", JSON.stringify({ rules }));
  write(testFile, 'describe("a key", () => test("waits %i s", () => {\n shows("limits.key"); }));');
  write("docs/README.md", "# Docs\n\n## Test\n\n- [The clock](clock.md): Time\n");
  write("docs/clock.md", "# The `clock`\n\n```ts examples/a.ts\nold\n```\n\n```ts b.ts\n```\n");
  write("examples/a.ts", "const a = 1;\n");
  await generate(root, false);
  return { root, write, read: (path: string): string => readFileSync(join(root, path), "utf8") };
}

it("writes files that the check then accepts", async () => {
  const { root, read } = await setUp();
  expect(await generate(root, true)).toEqual([]);
  expect(read("docs/fidelity.md")).toContain(
    `| \`limits.key\` | A key has a limit.<br>Settled by \`refund\`. | [rules.test.ts](../${testFile})<br>a key › waits … s |`,
  );
  expect(read("docs/fidelity.md")).not.toContain("limits.docs");
  expect(read("packages/mock/src/generated/server-rules.ts")).toContain('=\n  | "limits.key";');
  expect(read("docs/llms.txt")).toMatch(/^# TryOn SDK\n\n> .+\n\n[^#]+\n\n## Test\n\n- \[/u);
  expect(read("docs/clock.md")).toContain("a.ts\nconst a = 1;\n```\n\n```ts b.ts\n```\n");
});

it.each([
  ["spec/openapi.json", '{ "openapi": "3.1.0", "info": {}, "paths": { "/a": {} } }', "openapi.ts"],
  [`${controlPage}/style/clock.css`, "", "control-page.ts"],
  [testFile, 'test("each key", () => {\n shows("limits.key"); });', "docs/fidelity.md"],
  ["examples/a.ts", "const a = 2;\n", "docs/clock.md"],
  ["docs/llms.txt", "edited", "docs/llms.txt"],
])("reports what is out of date after a change of %s, and keeps it", async (path, text, stale) => {
  const { root, write } = await setUp();
  write(path, text);
  const problem = `${stale} is out of date. Run \`npm run generate\`.`;
  expect((await generate(root, true)).join("\n")).toContain(problem);
  expect((await generate(root, true)).join("\n")).toContain(problem);
});

it.each([
  ["an uncovered rule", testFile, "", "No test covers limits.key. Write one in packages/mock and "],
  ["a missing title", "docs/clock.md", "Time\n", 'clock.md as "The clock". Its title is missing'],
  ["a missing page", "docs/README.md", "- [A](a.md)\n", 'a.md as "A". Its title is missing.'],
  ["a wrong path", "docs/clock.md", "# A\n```ts docs/b.ts\n```\n", "clock.md embeds docs/b.ts, wh"],
])("reports %s, with and without --check", async (_what, path, text, problem) => {
  const { root, write } = await setUp();
  write(path, text);
  expect((await generate(root, true)).join("\n")).toContain(problem);
  expect((await generate(root, false)).join("\n")).toContain(problem);
});

it.each([
  ["a", 'test("a", () => { shows("x"); });'],
  ["a", 'it(`a`, { timeout: 1 }, async () => { shows("x"); });'],
  ["g › a …", 'describe.each([1])("g", () => { it.each([1])("a %i", () => { shows("x"); }); });'],
  ["a …", 'test.each`a\n${1}`("a $a", () => { shows("x"); /* shows("y"); */ "shows(z)"; });'],
])("reads the rule of the test %j from %s", (title, text) => {
  const file = "a.test.ts";
  expect(coveredRules(file, text, [])).toEqual([{ rule: "x", file, title }]);
});

it.each([
  'shows("x.y");',
  'test("a", () => { shows(rule); });',
  'test("a", () => { shows(); });',
  'test(`a ${b}`, () => { shows("x.y"); });',
  'test.skip.each([1])("a", () => { shows("x.y"); });',
  'describe.todo("g", () => { it("a", () => { shows("x.y"); }); });',
])("rejects %s", (text) => {
  const problems: string[] = [];
  expect(coveredRules("a.test.ts", text, problems)).toEqual([]);
  expect(problems).toEqual([expect.stringMatching(/^a\.test\.ts: Call shows\("rule\.id"\) in /)]);
});
