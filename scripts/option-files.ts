import { readFileSync } from "node:fs";
import { join } from "node:path";

import type optionSpec from "../spec/options.json";
import type ruleSpec from "../spec/rules.json";

type Option = (typeof optionSpec.options)[number];

/** Reads the options of the reference server. The tests of spec/ validate the file. */
export function readOptions(root: string): readonly Option[] {
  const text = readFileSync(join(root, "spec/options.json"), "utf8");
  return (JSON.parse(text) as typeof optionSpec).options;
}

export function optionModule(options: readonly Option[]): string {
  const members = options.map((row) => {
    const values = valuesOf(row).map((value) => JSON.stringify(value));
    return `  /** ${row.summary} */\n  readonly ${row.id}: ${values.join(" | ")};\n`;
  });
  const rows = options.map((row) => {
    const { id, summary } = row;
    const observable = !("notObservable" in row);
    return `  ${JSON.stringify({ id, summary, values: valuesOf(row), observable })},\n`;
  });
  return `// Generated from spec/options.json by \`npm run generate\`. Do not edit.

/** One value for every option. */
export interface Options {
${members.join("")}}

type Value = string | number | boolean;

export const optionRows: readonly {
  readonly id: keyof Options;
  readonly summary: string;
  readonly values: readonly [Value, Value, ...Value[]];
  readonly observable: boolean;
}[] = [
${rows.join("")}];
`;
}

export function withOptionTables(page: string, root: string): string {
  const options = readOptions(root);
  const { rules } = JSON.parse(
    readFileSync(join(root, "spec/rules.json"), "utf8"),
  ) as typeof ruleSpec;
  const points = rules.filter(({ open }) => open);
  return [
    [
      ["open point", "option"],
      ...points.map(({ id, rule }) => [
        rule.replace(/^(Open|Stated in two ways): /, ""),
        code(settling(options, id)) || "none",
      ]),
    ],
    [
      ["option", "what it decides", "values"],
      ...options.map((row) => [code([row.id]), row.summary, code(valuesOf(row).map(String))]),
    ],
  ].reduce(withTable, page);
}

/** Replaces the table of a page that has the headings of the first row. */
export function withTable(page: string, rows: readonly (readonly string[])[]): string {
  const start = rows[0]?.map((name) => String.raw`\| ${name} +`).join("");
  const old = new RegExp(String.raw`^${start}\|\n\| -.*\n(?:\|.*\n)*`, "m");
  return page.replace(old, () => markdownTable(rows));
}

/** Ids of the options that settle a rule. */
export function settling(options: readonly Option[], rule: string): readonly string[] {
  return options.filter(({ rules }) => rules.includes(rule)).map(({ id }) => id);
}

function valuesOf({ values }: Option): unknown[] {
  return values.map(([value]) => value);
}

function code(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}

/** Formats rows in columns of equal width, as the formatter does. The first row has the headings. */
export function markdownTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |\n`;
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("");
}
