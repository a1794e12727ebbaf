import { existsSync } from "node:fs";
import { glob } from "node:fs/promises";
import { basename, join } from "node:path";

import { root } from "@tryon/test-kit/repository";
import { expect, it } from "vitest";

import { shownPages } from "./pages.ts";

/** Files that readers have, or that a command writes, and names of examples. */
const ofReaders = new Set([
  "+server.ts",
  ".cursor/mcp.json",
  ".github/workflows/try-on-replay.yml",
  ".vscode/mcp.json",
  "/api/v1/openapi.json",
  "OUT.ids.json",
  "config/bodyparser.ts",
  "findings/NAME.sh",
  "looks.ids.json",
  "package-lock.json",
  "retry.full.test.ts",
  "retry.test.ts",
  "retry.ts",
]);
/** Names of a package and of a rule. */
const notFiles = new Set(["endpoints.json", "ipaddr.js"]);
const fileName = /`([\w@./[\]+-]+\.(?:js|json|jsx|md|mjs|py|sh|sql|ts|tsx|yaml|yml))`/g;
const block = /^```[^]*?^```$/gm;

const files = new Set<string>();
const patterns = ["**/*.*", "**/.*.json", ".github/**/*.yml"];
for await (const path of glob(patterns, { cwd: root, exclude: ["**/{node_modules,.git,dist}/**"] }))
  files.add(path);
const names = new Set([...files].map((path) => basename(path)));
const pages = await shownPages();

/** Names in the prose of a page that neither the repository nor a block of the page has. */
function unknownFiles(text: string): string[] {
  const blocks = (text.match(block) ?? []).join("\n");
  return Array.from(text.replaceAll(block, "").matchAll(fileName), ([, name = ""]) => name).filter(
    (name) =>
      !ofReaders.has(name) &&
      !notFiles.has(name) &&
      !blocks.includes(name) &&
      !(name.includes("/") ? [...files].some((path) => path.endsWith(name)) : names.has(name)),
  );
}

it("prose names files that exist, or that a block of the page has", () => {
  const problems = pages.flatMap(({ path, text }) =>
    unknownFiles(text).map((name) => `${path} names ${name}`),
  );
  expect(problems).toEqual([]);
});

it("finds the name of a missing file in prose", () => {
  expect(unknownFiles("Run `find-marked.ts`.\n\n```ts own.ts\nx\n```\n\n`own.ts` runs.")).toEqual([
    "find-marked.ts",
  ]);
});

it("links lead to files that exist", () => {
  const problems = pages.flatMap(({ path, text }) =>
    Array.from(
      text
        .replaceAll(block, "")
        .replaceAll(/`[^`\n]*`/g, "")
        .matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g),
    )
      .map(([, link = ""]) => link)
      .filter((link) => !existsSync(join(root, path, "..", decodeURI(link))))
      .map((link) => `${path} links to ${link}`),
  );
  expect(problems).toEqual([]);
});
