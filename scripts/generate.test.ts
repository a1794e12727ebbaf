import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";

import { renderPage } from "./api-docs-page.ts";
import { generate } from "./generate.ts";
import { coveredRules } from "./rule-coverage.ts";
import { stockImagesFile } from "./stock-images.ts";

/** Sources of the generated files of packages/mock. */
const copied = ["packages/mock/src/control/page", "packages/mock/src/engine/stock.svg"];
const testFile = "packages/mock/src/rules.test.ts";
const rule = { id: "limits.key", section: "Limits", rule: "A rule", shown_by: ["server"] };
const info = { title: "A", version: "1", description: "A service." };
const sources = {
  "spec/openapi.json": JSON.stringify({ openapi: "3.1.0", info, paths: {} }),
  "spec/rules.json": JSON.stringify({ rules: [rule, { ...rule, id: "a", shown_by: ["docs"] }] }),
  "spec/options.json": JSON.stringify({ options: [] }),
  [testFile]: 'describe("a key", () => test("waits", () => covers("limits.key")));',
  "docs/README.md": "# Docs\n\n## Test\n\n- [The clock](clock.md): Time\n",
  "docs/clock.md": "# The `clock`\n\n```ts examples/a.ts\nold\n```\n\n```ts b.ts\n```\n",
  "examples/a.ts": "const a = 1;\n",
};

const generated = mkdtempSync(join(tmpdir(), "generate-"));
beforeAll(async () => {
  for (const path of [...copied, stockImagesFile])
    cpSync(join(import.meta.dirname, "..", path), join(generated, path), { recursive: true });
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(generated, path)), { recursive: true });
    writeFileSync(join(generated, path), text);
  }
  await generate(generated, false);
  return () => rmSync(generated, { recursive: true });
});

it("finds nothing out of date after generating", async () => {
  expect(await generate(generated, true)).toEqual([]);
});

/** Copies the generated folder until the end of the test, and changes a file there. */
function change(file: string, content: string): string {
  const root = mkdtempSync(join(tmpdir(), "generate-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  cpSync(generated, root, { recursive: true });
  writeFileSync(join(root, file), content);
  return root;
}

it.each([
  [testFile, "", "No test covers limits.key. Write one in packages/mock and "],
  ["docs/clock.md", "Time\n", 'clock.md as "The clock". Its title is missing'],
  ["docs/README.md", "- [A](a.md)\n", 'a.md as "A". Its title is missing.'],
  ["docs/clock.md", "# A\n```ts docs/b.ts\n```\n", "clock.md embeds docs/b.ts, wh"],
])("after a change of %s to %j reports that %s", async (changed, content, problem) => {
  const root = change(changed, content);
  expect((await generate(root, true)).join("\n")).toContain(problem);
});

it("updates a file unless it only checks, and reports a problem of the sources in both cases", async () => {
  const root = change("docs/llms.txt", "edited");
  writeFileSync(join(root, testFile), "");
  const problem = expect.stringMatching(/^No test covers limits\.key/);
  const outOfDate = [
    expect.stringMatching(/fidelity\.md is out/),
    expect.stringMatching(/llms\.txt is out/),
  ];
  expect(await generate(root, true)).toEqual([problem, ...outOfDate]);
  expect(await generate(root, false)).toEqual([problem]);
  expect(await generate(root, true)).toEqual([problem]);
});

it("renders Markdown of the API's descriptions, and tags as text", () => {
  const html = renderPage({
    info: { title: "A <b>", version: "1", description: "<script>1</script> **bold**" },
    paths: {
      "/a<i>": { get: { summary: "Gets `a`", description: "- one\n\n[x](javascript:alert(1))" } },
    },
  });
  expect(html).toContain("<h1>A &lt;b&gt; 1</h1>");
  expect(html).toContain("<p>&lt;script&gt;1&lt;/script&gt; <strong>bold</strong></p>");
  expect(html).toContain("<h2><span>GET</span>/a&lt;i&gt;</h2>");
  expect(html).toContain("<strong>Gets <code>a</code></strong>");
  expect(html).toContain("<li>one</li>");
  expect(html).not.toMatch(/<script|<i>|<b>|href="javascript/);
});

it.each([
  ["a", 'test("a", () => { covers("x"); });'],
  ["a", 'it(`a`, { timeout: 1 }, async () => { covers("x"); });'],
  ["g › a …", 'describe.each([1])("g", () => { it.each([1])("a %i", () => { covers("x"); }); });'],
  ["a …", 'test.each`a\n${1}`("a $a", () => { covers("x"); /* covers("y"); */ "covers(z)"; });'],
  [undefined, 'covers("x");'],
  [undefined, 'test("a", () => { covers(rule); });'],
  [undefined, 'test("a", () => { covers(); });'],
  [undefined, 'test(`a ${b}`, () => { covers("x"); });'],
  [undefined, 'test.skip.each([1])("a", () => { covers("x"); });'],
  [undefined, 'describe.todo("g", () => { it("a", () => { covers("x"); }); });'],
])("reads the covered rule of the test %j from %s", (title, text) => {
  const problems: string[] = [];
  const file = "a.test.ts";
  const found = coveredRules(file, text, problems);
  expect(found).toEqual(title === undefined ? [] : [{ rule: "x", file, title }]);
  const problem = expect.stringMatching(/^a\.test\.ts: Call covers\("rule\.id"\) in /);
  expect(problems).toEqual(title === undefined ? [problem] : []);
});
