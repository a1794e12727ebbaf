import { readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "@tryon/test-kit/repository";

import { expect, it } from "vitest";

function found(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, code = ""]) => code).toSorted();
}

/** The texts of the unions that files export, and the names of their tables of hints. */
function codesIn(...paths: readonly string[]): readonly string[] {
  const unions = /(?<=export type \w+ErrorCode =|const (?:responseHints|hints) =)[^;]+;/g;
  const text = paths.map((path) => readFileSync(join(root, path), "utf8")).join("");
  return found((text.match(unions) ?? []).join(""), /^ +(?:\| ")?(\w+)[":]/gm);
}

const page = readFileSync(join(import.meta.dirname, "errors.md"), "utf8");
const [client = "", webhooks = ""] = page.split("\n## Webhooks\n");
const rows = /^\| `(\w+)`/gm;

it("has one line for every error code of the client, and for no other", () => {
  const files = ["tryon-error.ts", "hints.ts"].map((file) => `packages/client/src/errors/${file}`);
  const codes = codesIn(...files);
  expect(codes.length).toBeGreaterThan(20);
  expect(found(client, rows)).toEqual(codes);
});

it("has one line for every code of the webhooks, and for no other", () => {
  const codes = codesIn("packages/webhooks/src/webhook-error.ts");
  expect(codes.length).toBeGreaterThan(10);
  expect(found(webhooks, rows)).toEqual(codes);
});

it("has the charge, the retries and the fix of every error of the client", () => {
  for (const line of client.split("\n").filter((one) => one.startsWith("| `"))) {
    const cells = line.split("|").slice(1, -1);
    expect(cells, line).toHaveLength(5);
    expect(cells[2], line).toMatch(/^ (no|once|open)\b/);
    expect(cells[3], line).toMatch(/^ (no|yes|once|in a wait|when|if)\b/);
    expect(cells[4]?.trim(), line).not.toBe("");
  }
});

it("has one line for every row of the table of outcomes, in its order, with what comes next", () => {
  const code = readFileSync(join(root, "packages/client/src/http/outcome-table.ts"), "utf8");
  const rowsOfCode = [...code.matchAll(/proves: (\w+), next: "(\w+)".* \/\/ (.+)/g)].map(
    ([, proves = "", next = "", name = ""]) => ({ name, isProof: proves === "none", next }),
  );
  expect(rowsOfCode.length).toBeGreaterThan(10);
  const [, table = ""] = client.split("| row ");
  const rowsOfPage = [...table.matchAll(/^\| ([a-z ]+?) +\|[^|]+\| ([^|]+?) +\| (\w+)/gm)]
    .slice(0, rowsOfCode.length)
    .map(([, name = "", effect = "", next = ""]) => ({
      name,
      isProof: effect === "nothing",
      next,
    }));
  expect(rowsOfPage).toEqual(rowsOfCode);
});
