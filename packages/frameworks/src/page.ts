import { readFileSync } from "node:fs";
import { join } from "node:path";

import { checks, type Check } from "./checks.ts";
import results from "./results.json" with { type: "json" };
import { rows, type Row } from "./rows.ts";
import { works, type Result } from "./result.ts";

export const command = "npm run frameworks";

/** Page for users, from the results of the last run of all rows. */
export function frameworksPage(root: string): string {
  const notes: string[] = [];
  const lines = rows.map((row) => {
    const result = resultOf(row);
    const version = Object.values(result?.versions ?? {})[0] ?? "";
    const cells = (["receiver", "proxy"] as const).map((of) => cell(row, of, result, notes));
    return [`[${row.title}](#${anchorOf(row.title)})`, version, ...cells, row.trap];
  });
  return [
    `<!-- Made by \`${command}\` and \`npm run generate\`. Changes made here are lost. -->`,
    "# Frameworks",
    `A test installs the newest version of each framework from npm, builds and serves the app below, and sends requests to it. The build has no secret. The last run of all rows was on ${results.date}.`,
    [
      lineOf(["framework", "version", "receiver", "proxy", "trap"]),
      lineOf(["---", "---", ":-:", ":-:", "---"]),
      ...lines.map(lineOf),
    ].join("\n"),
    "✓: all of it works. ✓ with a number: it works, except for what the note says. –: it does not work, or was not tested.",
    notes.map((note, index) => `${index + 1}. ${note}`).join("\n"),
    "The receiver handles, or refuses:",
    listOf("receiver"),
    "Through the proxy:",
    listOf("proxy"),
    "All apps use this file:",
    blockOf(root, "shared/shop.mjs"),
    ...rows.map((row) =>
      [
        `## ${row.title}`,
        ...(row.env === undefined
          ? []
          : [
              `With the environment ${Object.entries(row.env)
                .map(([name, value]) => `\`${name}=${value}\``)
                .join(", ")}:`,
            ]),
        ...row.recipe.map((file) => blockOf(root, `apps/${row.id}/${file}`)),
      ].join("\n\n"),
    ),
  ]
    .join("\n\n")
    .concat("\n");
}

export function resultOf({ id }: Row): Result | undefined {
  return (results.rows as Readonly<Record<string, Result | undefined>>)[id];
}

function listOf(of: Check["of"]): string {
  return Object.values(checks)
    .filter((check) => check.of === of)
    .map(({ does }) => `- ${does}`)
    .join("\n");
}

function cell(row: Row, of: Check["of"], result: Result | undefined, notes: string[]): string {
  const outcomes = Object.entries(checks)
    .filter(([, check]) => check.of === of)
    .map(
      ([name]) => row.without?.[name] ?? row.notes?.[name] ?? result?.outcomes[name] ?? "Not run.",
    );
  const failed = outcomes.filter((outcome) => outcome !== works);
  const numbers = failed.map((outcome) => {
    if (!notes.includes(outcome)) notes.push(outcome);
    return notes.indexOf(outcome) + 1;
  });
  return [failed.length < outcomes.length ? "✓" : "–", ...new Set(numbers)].join(" ");
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

export function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
