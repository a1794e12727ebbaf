import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Notes, pageOf, tableOf } from "@tryon/test-kit/markdown";

import { checks, type Check } from "./checks.ts";
import { frameworks, type Framework } from "./frameworks.ts";
import results from "./results.json" with { type: "json" };
import { resultIn, works } from "./row.ts";

/** Page for users, from the results of the last run of all frameworks. */
export function frameworksPage(root: string): string {
  const notes = new Notes();
  const rows = frameworks.map((row) => {
    const { versions = {} } = resultIn(results, row);
    const cells = (["receiver", "proxy"] as const).map((of) => cell(row, of, notes));
    return [
      `[${row.title}](#${anchorOf(row.title)})`,
      Object.values(versions)[0] ?? "",
      ...cells,
      row.trap,
    ];
  });
  const headings = { framework: "---", version: "---", receiver: ":-:", proxy: ":-:", trap: "---" };
  return pageOf(
    ["npm run frameworks", "npm run generate"],
    "# Frameworks",
    `A test installs the newest version of each framework from npm, builds and serves the app below, and sends requests to it. The build has no secret. The last run of all rows was on ${results.date}.`,
    tableOf(headings, rows),
    "✓: all of it works. ✓ with a number: it works, except for what the note says. –: it does not work, or was not tested.",
    notes.list(),
    "The receiver handles, or refuses:",
    listOf("receiver"),
    "Through the proxy:",
    listOf("proxy"),
    "All apps use this file:",
    blockOf(root, "shared/shop.mjs"),
    ...frameworks.flatMap(({ id, title, env = {}, recipe }) => {
      const variables = Object.entries(env).map(([name, value]) => `\`${name}=${value}\``);
      return [
        `## ${title}`,
        variables.length === 0 ? "" : `With the environment ${variables.join(", ")}:`,
        ...recipe.map((file) => blockOf(root, `apps/${id}/${file}`)),
      ];
    }),
  );
}

const checksOf = (of: Check["of"]) => Object.entries(checks).filter(([, check]) => check.of === of);

function listOf(of: Check["of"]): string {
  return checksOf(of)
    .map(([, { does }]) => `- ${does}`)
    .join("\n");
}

function cell(row: Framework, of: Check["of"], notes: Notes): string {
  const { outcomes = {} } = resultIn(results, row);
  const own = checksOf(of).map(
    ([name]) => row.without?.[name] ?? row.notes?.[name] ?? outcomes[name] ?? "Not run.",
  );
  const failed = own.filter((outcome) => outcome !== works);
  const numbers = failed.map((outcome) => notes.numberOf(outcome));
  return [failed.length < own.length ? "✓" : "–", ...new Set(numbers)].join(" ");
}

function blockOf(root: string, file: string): string {
  const path = `packages/frameworks/src/${file}`;
  const language = /\.tsx?$/.test(file) ? "ts" : "js";
  return `\`\`\`${language} ${path}\n${readFileSync(join(root, path), "utf8")}\`\`\``;
}

/** Fragment of a heading, as GitHub makes it. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}
