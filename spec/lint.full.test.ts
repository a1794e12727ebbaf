import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";

/** Only this test needs it, so the workspace does not install it. */
const redocly = "@redocly/cli@2.77.0";

function lint(folder: string): { readonly status: number | null; readonly report: string } {
  const { status, stdout, stderr } = spawnSync(
    "npx",
    ["--yes", redocly, "lint", "--config", "redocly.yaml", "openapi.json"],
    {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    },
  );
  return { status, report: stdout + stderr };
}

describe("lint of the contract", { timeout: 180_000 }, () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  it("finds no error and no warning", () => {
    const { status, report } = lint(import.meta.dirname);
    expect(report).not.toMatch(/\b(error|warning)s?\b/i);
    expect(status).toBe(0);
  });

  it.each([
    ["a plain mistake", '"$ref": "#/components/schemas/TryOnRequest"', '"$ref": "#/nowhere"'],
    ["what others only warn about", '"operationId": "getAccount",', ""],
  ])("fails on %s", (_title, sound, broken) => {
    const folder = mkdtempSync(join(tmpdir(), "contract-"));
    folders.push(folder);
    for (const name of ["redocly.yaml", ".redocly.lint-ignore.yaml"]) {
      cpSync(join(import.meta.dirname, name), join(folder, name));
    }
    const text = readFileSync(join(import.meta.dirname, "openapi.json"), "utf8");
    expect(text).toContain(sound);
    writeFileSync(join(folder, "openapi.json"), text.replace(sound, broken));
    expect(lint(folder).status).toBe(1);
  });
});
