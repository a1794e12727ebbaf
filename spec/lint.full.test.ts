import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";

/** Linters with their arguments. Only this test needs them, so the workspace does not install them. */
const linters: Readonly<Record<string, string>> = {
  redocly: "@redocly/cli@2.77.0 lint --config redocly.yaml openapi.json",
  spectral:
    "@stoplight/spectral-cli@6.16.3 lint --ruleset .spectral.yaml --fail-severity hint openapi.json",
};
const configurations = ["redocly.yaml", ".spectral.yaml"];

function lint(
  linter: string,
  folder: string,
): { readonly status: number | null; readonly report: string } {
  const { status, stdout, stderr } = spawnSync(
    "npx",
    ["--yes", ...`${linters[linter]}`.split(" ")],
    {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    },
  );
  return { status, report: stdout + stderr };
}

describe.each(Object.keys(linters))(
  "lint of the contract by %s",
  { timeout: 180_000 },
  (linter) => {
    const folders: string[] = [];
    afterEach(() => {
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
    });

    it("finds no error and no warning", () => {
      const { status, report } = lint(linter, import.meta.dirname);
      expect(report).not.toMatch(/\b[1-9]\d* (error|warning|problem)s?\b(?!.* ignored)/i);
      expect(status, report).toBe(0);
    });

    it.each([
      ["an error", '"$ref": "#/components/schemas/TryOnRequest"', '"$ref": "#/nowhere"'],
      ["a warning", '"operationId": "getAccount",', ""],
    ])("fails on %s", (_title, valid, invalid) => {
      const folder = mkdtempSync(join(tmpdir(), "contract-"));
      folders.push(folder);
      for (const name of configurations) {
        cpSync(join(import.meta.dirname, name), join(folder, name));
      }
      const text = readFileSync(join(import.meta.dirname, "openapi.json"), "utf8");
      expect(text).toContain(valid);
      writeFileSync(join(folder, "openapi.json"), text.replace(valid, invalid));
      expect(lint(linter, folder).status).toBe(1);
    });
  },
);
