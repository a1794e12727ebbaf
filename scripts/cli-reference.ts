import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { markdownTable } from "./option-files.ts";

/** Page that contains the reference, between two comments. */
const page = "docs/guides/cli.md";
const [start, end] = ["<!-- commands -->", "<!-- end of commands -->"];

type ReadHelp = (command: readonly string[]) => Promise<string>;

/** Returns the page with the reference of all commands, or undefined if the folder has no such page. */
export async function cliPage(root: string): Promise<[string, string] | undefined> {
  const file = join(root, page);
  if (!existsSync(file)) return undefined;
  const [before = "", after = ""] = readFileSync(file, "utf8").split(start);
  const [, rest = ""] = after.split(end);
  const sections = await readCommands([], helpOf(root));
  const reference = sections.map(({ text }) => text).join("\n");
  return [page, `${before}${start}\n\n${reference}\n${end}${rest}`];
}

function helpOf(root: string): ReadHelp {
  const main = join(root, "packages/cli/src/main.ts");
  return async (command) => {
    const args = ["--conditions=@tryon/source", main, ...command, "--help"];
    return (await promisify(execFile)(process.execPath, args)).stdout;
  };
}

interface Section {
  readonly title: string;
  readonly summary: string;
  readonly text: string;
}

/** Returns the section of a command, followed by those of its subcommands. */
async function readCommands(command: readonly string[], readHelp: ReadHelp): Promise<Section[]> {
  const help = await readHelp(command);
  const listed = /\nCommands:\n((?: .*\n)*)/.exec(help)?.[1] ?? "";
  const names = [
    ...[...listed.matchAll(/^ {2}(\w+)/gm)].map(([, name = ""]) => name),
    // Commands that only the description names.
    ...[...help.matchAll(/^[\w-]+ (\w+) --help$/gm)].map(([, name = ""]) => name),
  ].filter((name) => name !== "help");
  const inside = await Promise.all(names.map((name) => readCommands([...command, name], readHelp)));
  return [section(help, inside), ...inside.flat()];
}

function section(help: string, inside: readonly (readonly Section[])[]): Section {
  const [usage = "", description = "", ...blocks] = help.trimEnd().split("\n\n");
  const form = usage.replace("Usage: ", "");
  const title = form.replace(/ \[.*/, "");
  const summary = flow(description.replace(/ Other commands:[^]*/, ""));
  const children = inside.flatMap(([child]) =>
    child ? [[linkTo(child.title), child.summary]] : [],
  );
  const parts = [
    `${title.includes(" ") ? "###" : "##"} ${title}`,
    summary,
    ...(form.includes("<") || form.includes("...") ? [`\`${form}\``] : []),
    ...(children.length > 0 ? [table("command", children)] : []),
    ...blocks.flatMap((block) => formatBlock(block)),
  ];
  return { title, summary, text: `${parts.join("\n\n")}\n` };
}

function linkTo(title: string): string {
  return `[${title}](#${title.replaceAll(" ", "-")})`;
}

/** Formats one block of a help: a table of options or exit codes, examples, or text. */
function formatBlock(block: string): string[] {
  const [, heading, lines] = /^([A-Z].*):\n( [^]*)$/.exec(block) ?? [];
  if (block.startsWith("Docs: ") || heading === "Commands") return [];
  if (heading === undefined || lines === undefined) return [flow(block)];
  if (heading === "Examples") return [`\`\`\`sh\n${lines.replaceAll(/^ +/gm, "")}\n\`\`\``];
  const rows = rowsOf(lines).filter(([term]) => term !== "-h, --help" && term !== "--version");
  if (rows.length === 0) return [];
  const kind = { "Exit codes": "exit code", Arguments: "argument", Options: "option" }[heading];
  const terms = rows.map(([term, meaning]) => [`\`${term}\``, meaning]);
  const formatted = table(kind ?? "option", terms);
  return kind === undefined ? [`${heading}:`, formatted] : [formatted];
}

/** Reads terms with their descriptions, which can continue on the next lines. */
function rowsOf(lines: string): (readonly [string, string])[] {
  const indent = /^ *\S.*? {2,}/.exec(lines)?.[0].length ?? 0;
  const rows = lines.replaceAll(new RegExp(`\n {${indent}}`, "g"), " ").split("\n");
  return rows.map((row) => {
    const [term = "", ...meaning] = row.trim().split(/ {2,}/);
    return [term, meaning.join(" ")];
  });
}

function table(term: string, rows: readonly (readonly string[])[]): string {
  const cells = rows.map(([name = "", text = ""]) => [name, text.replaceAll("<", "&lt;")]);
  return markdownTable([[term, "description"], ...cells]).trimEnd();
}

function flow(text: string): string {
  return text.trim().replaceAll("\n", " ");
}
