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
    for (const path of ["scripts/generate.ts", "spec/openapi.json", types, serverTypes]) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(repository, path), join(copy, path));
    }
    writeFileSync(join(copy, "package.json"), '{ "type": "module" }');
    symlinkSync(join(repository, "node_modules"), join(copy, "node_modules"), "junction");
  });
  afterEach(() => rmSync(copy, { recursive: true }));

  it("finds every generated file of the repository fresh", () => {
    expect(generate(repository, "--check")).toEqual({ status: 0, output: "" });
  });

  it("names a stale file and the command that mends it, and leaves it alone", () => {
    writeFileSync(join(copy, types), "// edited by hand\n");
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

  it("finds a missing file stale", () => {
    rmSync(join(copy, types));
    expect(generate(copy, "--check").status).toBe(1);
    expect(existsSync(join(copy, types))).toBe(false);
  });

  it("writes what is stale, after which the check is content", () => {
    rmSync(dirname(join(copy, types)), { recursive: true });
    expect(generate(copy)).toEqual({ status: 0, output: `wrote ${types}\n` });
    expect(readFileSync(join(copy, types), "utf8")).toBe(
      readFileSync(join(repository, types), "utf8"),
    );
    expect(generate(copy, "--check").status).toBe(0);
  });

  it("refuses a flag it does not know", () => {
    expect(generate(copy, "--chekc").status).toBe(2);
  });
});
