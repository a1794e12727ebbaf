import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { shownRules, type Showing, type ShownRules } from "./shown-rules.ts";

interface Rule {
  readonly id: string;
  readonly section: string;
  readonly rule: string;
  readonly shown_by: readonly string[];
  readonly open?: true;
  readonly options?: readonly string[];
}

/** What is written by hand contradicts itself, so nothing can be made of it. */
export class Contradiction extends Error {}

const tests = "packages/mock/src";
const untestedRules = "spec/untested-rules.json";

/** The ids of the rules that the server keeps, as a type. */
export async function serverRuleIds(root: string): Promise<string> {
  const ids = (await serverRules(root)).map(({ id }) => `  | ${JSON.stringify(id)}`);
  return [
    "// Made from spec/rules.json by `npm run generate`. Changes made here are lost.\n",
    "/** The id of a rule of the service that the reference server keeps. */",
    "export type ServerRule =",
    `${ids.join("\n")};\n`,
  ].join("\n");
}

/**
 * Each rule that the server keeps, with the tests that show it.
 *
 * @throws Contradiction naming each rule that no test shows, unless it is listed as untested, and each false tag.
 */
export async function fidelityPage(root: string): Promise<string> {
  const rules = await serverRules(root);
  const { showings, problems } = await shownIn(root);
  const untested = new Set(await readJson<readonly string[]>(join(root, untestedRules)));
  const known = new Set(rules.map(({ id }) => id));
  const shown = new Set(showings.map(({ rule }) => rule));
  const contradictions = [
    ...problems,
    ...showings
      .filter(({ rule }) => !known.has(rule))
      .map(({ rule, file }) => `${file} shows ${rule}, which is no rule of the server.`),
    ...rules
      .filter(({ id }) => !shown.has(id) && !untested.has(id))
      .map(
        ({ id }) =>
          `${id} is shown by no test: write one in ${tests} and call shows("${id}") in it.`,
      ),
    ...[...untested]
      .filter((id) => shown.has(id) || !known.has(id))
      .map(
        (id) =>
          `${id} stands in ${untestedRules} and ${known.has(id) ? "has a test" : "is no rule of the server"}. Take it out there.`,
      ),
  ];
  if (contradictions.length > 0) throw new Contradiction(contradictions.join("\n"));
  return page(rules, showings);
}

async function serverRules(root: string): Promise<readonly Rule[]> {
  const { rules } = await readJson<{ rules: readonly Rule[] }>(join(root, "spec/rules.json"));
  return rules.filter(({ shown_by }) => shown_by.includes("server"));
}

async function readJson<Content>(path: string): Promise<Content> {
  // The files under spec/ are held to their form by their own tests.
  return JSON.parse(await readFile(path, "utf8")) as Content;
}

async function shownIn(root: string): Promise<ShownRules> {
  const names = await readdir(join(root, tests), { recursive: true });
  const files = names
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => name.replaceAll("\\", "/"));
  const all = await Promise.all(
    files
      .toSorted()
      .map(async (name) =>
        shownRules(`${tests}/${name}`, await readFile(join(root, tests, name), "utf8")),
      ),
  );
  return {
    showings: all.flatMap(({ showings }) => showings),
    problems: all.flatMap(({ problems }) => problems),
  };
}

function page(rules: readonly Rule[], showings: readonly Showing[]): string {
  const shown = new Set(showings.map(({ rule }) => rule));
  const untested = rules.filter(({ id }) => !shown.has(id)).length;
  const open = rules.filter((rule) => rule.open).length;
  const sections = [...new Set(rules.map(({ section }) => section))];
  const tested = count(showings.map(({ file, titles }) => [file, ...titles].join("\n")));
  return [
    "<!-- Made from spec/rules.json and the tests of packages/mock by `npm run generate`. Changes made here are lost. -->\n",
    "# What the reference server keeps, and the tests that show it\n",
    "Every rule of the service that `@tryon/mock` has to keep, in the order of `spec/rules.json`. A test stands beside a rule if it would fail were the rule broken; `…` in its title stands for what it is run with, case by case.\n",
    "| | |",
    "| --- | ---: |",
    `| rules that the server keeps | ${rules.length} |`,
    `| shown by a test | ${rules.length - untested} |`,
    `| still without one | ${untested} |`,
    `| left open by the service, settled here by an option or a decision | ${open} |`,
    `| tests that show them | ${tested} |`,
    `| files that these stand in | ${count(showings.map(({ file }) => file))} |`,
    "",
    ...sections.flatMap((section) => [
      `## ${section}\n`,
      "| rule | what it says | tests |",
      "| --- | --- | --- |",
      ...rules
        .filter((rule) => rule.section === section)
        .map((rule) =>
          row(
            rule,
            showings.filter((showing) => showing.rule === rule.id),
          ),
        ),
      "",
    ]),
  ].join("\n");
}

function count(values: readonly string[]): number {
  return new Set(values).size;
}

function row(rule: Rule, showings: readonly Showing[]): string {
  const options = (rule.options ?? []).map((option) => `\`${option}\``).join(", ");
  const settled = options === "" ? "" : `<br>Settled by ${options}.`;
  const files = [...new Set(showings.map(({ file }) => file))];
  const tested = files.map((file) => {
    const titles = showings
      .filter((showing) => showing.file === file)
      .map(({ titles: all }) => cell(all.map(plain).join(" › ")));
    return `[${file.slice(tests.length + 1)}](../${file})<br>${titles.join("<br>")}`;
  });
  return `| \`${rule.id}\` | ${cell(rule.rule)}${settled} | ${tested.join("<br>") || "none yet"} |`;
}

/** A title without the marks at which the runner puts the values of a case. */
function plain(title: string): string {
  return title.replaceAll(/%[sdifjoO#$]|\$\w+/gu, "…");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
