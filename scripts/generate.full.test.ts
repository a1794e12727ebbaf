import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const repository = dirname(import.meta.dirname);
const types = "packages/client/src/generated/openapi.ts";
const serverTypes = "packages/mock/src/generated/openapi.ts";
const ruleIds = "packages/mock/src/generated/server-rules.ts";
const page = "docs/fidelity.md";
const serverTest = "packages/mock/src/rules.test.ts";
const inputs = [
  ...["generate", "contents-pages", "control-page", "fidelity", "shown-files", "shown-rules"].map(
    (name) => `scripts/${name}.ts`,
  ),
  "spec/openapi.json",
  "packages/mock/src/steering/control/page",
  types,
  serverTypes,
  "packages/mock/src/generated/control-page.ts",
];

const rule = { section: "Limits", rule: "A key has a limit.", shown_by: ["server"] };
const rules = [
  { ...rule, id: "limits.shown" },
  { ...rule, id: "limits.untested", open: true, options: ["refund"] },
  { ...rule, id: "limits.of-others", shown_by: ["docs"] },
];

function generate(root: string, ...flags: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "scripts/generate.ts"), ...flags],
    { encoding: "utf8" },
  );
  return { status, output: stdout + stderr };
}

describe("generate", () => {
  let copy = "";
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), "generate-"));
    for (const path of inputs) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(repository, path), join(copy, path), { recursive: true });
    }
    write("package.json", '{ "type": "module" }');
    write("spec/rules.json", JSON.stringify({ rules }));
    write("spec/untested-rules.json", '["limits.untested"]');
    write(serverTest, 'test("a key", () => {\n  shows("limits.shown");\n});\n');
    mkdirSync(join(copy, "docs"));
    write(
      "docs/contents.ts",
      'export const contents = [{ title: "Test", pages: [{ file: "clock.md", about: "Time" }] }];',
    );
    write("docs/clock.md", "# How `clock` moves\n");
    for (const name of ["client", "webhooks", "mock", "contract"]) {
      mkdirSync(join(copy, "packages", name), { recursive: true });
      write(`packages/${name}/README.md`, `# @tryon/${name}\n`);
    }
    symlinkSync(join(repository, "node_modules"), join(copy, "node_modules"), "junction");
  });
  const write = (path: string, text: string): void => writeFileSync(join(copy, path), text);
  afterEach(() => rmSync(copy, { recursive: true }));

  it("finds every generated file of the repository fresh", () => {
    expect(generate(repository, "--check")).toEqual({ status: 0, output: "" });
  });

  it("names a stale file and the command that mends it, and leaves it alone", () => {
    write(types, "// edited by hand\n");
    const { status, output } = generate(copy, "--check");
    expect(status).toBe(1);
    expect(output).toContain(types);
    expect(output).toContain("npm run generate");
    expect(readFileSync(join(copy, types), "utf8")).toBe("// edited by hand\n");
  });

  it("finds a file stale when the contract has changed", () => {
    const contract = join(copy, "spec/openapi.json");
    const text = readFileSync(contract, "utf8");
    writeFileSync(contract, text.replace('"next_cursor": {', '"following_cursor": {'));
    expect(generate(copy, "--check").status).toBe(1);
  });

  it("finds the control page stale when its style has changed", () => {
    write("packages/mock/src/steering/control/page/style/clock.css", "");
    const { status, output } = generate(copy, "--check");
    expect(status).toBe(1);
    expect(output).toContain("packages/mock/src/generated/control-page.ts");
  });

  it("finds a missing file stale", () => {
    rmSync(join(copy, types));
    expect(generate(copy, "--check").status).toBe(1);
    expect(existsSync(join(copy, types))).toBe(false);
  });

  it("writes what is stale, after which the check is content", () => {
    rmSync(dirname(join(copy, types)), { recursive: true });
    const written = [types, ruleIds, page, "docs/README.md", "docs/llms.txt"].map(
      (path) => `wrote ${path}\n`,
    );
    expect(generate(copy)).toEqual({ status: 0, output: written.join("") });
    expect(readFileSync(join(copy, types), "utf8")).toBe(
      readFileSync(join(repository, types), "utf8"),
    );
    expect(generate(copy, "--check").status).toBe(0);
  });

  it("writes each rule of the server down with the tests that show it", () => {
    generate(copy);
    const text = readFileSync(join(copy, page), "utf8");
    expect(text).toContain("| rules that the server keeps | 2 |");
    expect(text).toContain("| shown by a test | 1 |");
    expect(text).toContain("| `limits.shown` | A key has a limit. | [rules.test.ts](");
    expect(text).toContain(`](../${serverTest})<br>a key |`);
    expect(text).toContain("| A key has a limit.<br>Settled by `refund`. | none yet |");
    expect(text).not.toContain("limits.of-others");
    expect(readFileSync(join(copy, ruleIds), "utf8")).toContain('  | "limits.untested";');
  });

  it("finds the page stale when the title of a test has changed", () => {
    generate(copy);
    expect(generate(copy, "--check").status).toBe(0);
    write(serverTest, 'test("each key", () => {\n  shows("limits.shown");\n});\n');
    const { status, output } = generate(copy, "--check");
    expect(status).toBe(1);
    expect(output).toContain(page);
  });

  it.each([
    ["a rule that no test shows", 'test("a key", () => {});', "[]", "limits.untested is shown by"],
    [
      "a tag that names no rule",
      'test("a key", () => { shows("limits.shown", "limits.none"); });',
      '["limits.untested"]',
      `${serverTest} shows limits.none, which is no rule of the server`,
    ],
    [
      "a tag that names a rule of others",
      'test("a key", () => { shows("limits.shown", "limits.of-others"); });',
      '["limits.untested"]',
      `${serverTest} shows limits.of-others, which is no rule of the server`,
    ],
    [
      "an untested rule that has a test",
      'test("a key", () => { shows("limits.shown", "limits.untested"); });',
      '["limits.untested"]',
      "limits.untested stands in spec/untested-rules.json and has a test",
    ],
    [
      "an untested rule that is none",
      'test("a key", () => { shows("limits.shown"); });',
      '["limits.untested", "limits.none"]',
      "limits.none stands in spec/untested-rules.json and is no rule of the server",
    ],
  ])("fails, with and without the flag, for %s", (_what, test, untested, complaint) => {
    write(serverTest, test);
    write("spec/untested-rules.json", untested);
    for (const { status, output } of [generate(copy), generate(copy, "--check")]) {
      expect(status).toBe(1);
      expect(output).toContain(complaint);
    }
  });

  it("lists what there is to read, with the titles of the pages", () => {
    generate(copy);
    const list = readFileSync(join(copy, "docs/README.md"), "utf8");
    expect(list).toContain("## Test\n\n- [How clock moves](clock.md): Time.\n");
    expect(list).toContain("- [@tryon/client](../packages/client/README.md): ");
    const plain = readFileSync(join(copy, "docs/llms.txt"), "utf8");
    expect(plain).toMatch(/^# TryOn SDK\n\n> .+\n\n[^#]+\n\n## Test\n\n- \[/u);
  });

  it.each([
    ["is not there", undefined, "docs/contents.ts names clock.md, which is not there"],
    ["has no title", "Time.\n", "docs/clock.md has no title"],
  ])("fails for a page that %s", (_what, text, complaint) => {
    if (text === undefined) rmSync(join(copy, "docs/clock.md"));
    else write("docs/clock.md", text);
    const { status, output } = generate(copy);
    expect(status).toBe(1);
    expect(output).toContain(complaint);
  });

  it("refuses a flag it does not know", () => {
    expect(generate(copy, "--chekc").status).toBe(2);
  });
});
