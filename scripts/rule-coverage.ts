import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

import type spec from "../spec/rules.json";
import { readOptions, settling } from "./option-files.ts";

type Rule = (typeof spec.rules)[number];

/** A test that covers a rule, with the titles of its suites in its title. */
type Coverage = Readonly<Record<"rule" | "file" | "title", string>>;

/** The ids of the server's rules as a type, and a page with the test that covers each rule. */
export function ruleCoverage(root: string, problems: string[]): Record<"type" | "page", string> {
  const text = readFileSync(join(root, "spec/rules.json"), "utf8");
  // The tests of spec/ validate the file.
  const { rules: all } = JSON.parse(text) as typeof spec;
  const rules = all.filter(({ shown_by }) => shown_by.includes("server"));
  const coverage = globSync("packages/mock/src/**/*.test.ts", { cwd: root })
    .toSorted()
    .flatMap((file) => coveredRules(file, readFileSync(join(root, file), "utf8"), problems));
  for (const { id } of rules)
    if (!coverage.some(({ rule }) => rule === id))
      problems.push(`No test covers ${id}. Write one in packages/mock and call covers("${id}").`);
  const ids = rules.map(({ id }) => `\n  | ${JSON.stringify(id)}`).join("");
  const notice = "// Generated from spec/rules.json by `npm run generate`. Do not edit.\n\n";
  const comment = "/** The id of a service rule that the reference server implements. */\n";
  const type = `${notice}${comment}export type ServerRule =${ids};\n`;
  return { type, page: fidelityPage(rules, readOptions(root), coverage) };
}

/** Reads the calls of `covers` in a test file, with the titles of the tests and suites around each. */
export function coveredRules(file: string, text: string, problems: string[]): readonly Coverage[] {
  const found: Coverage[] = [];
  /** Visits a node; `titles` is undefined where no test runs, or a title is not plain text. */
  const visit = (node: ts.Node, titles: readonly string[] | undefined): void => {
    let inside = titles;
    const args = ts.isCallExpression(node) ? node.arguments : [];
    const texts = args.map((arg) => (ts.isStringLiteralLike(arg) ? arg.text : ""));
    const callee = ts.isCallExpression(node) ? node.expression.getText() : "";
    if (/^(?:test|it|describe)\b/.test(callee)) {
      const runs = !/^\w+(?:\.\w+)*\.(?:skip|todo|fails)/.test(callee);
      inside = titles && runs && texts[0] ? [...titles, texts[0]] : undefined;
    } else if (callee === "covers") {
      // The runner replaces %s and $name with the values of a case.
      const title = titles?.join(" › ").replaceAll(/%[sdifjoO#$]|\$\w+/gu, "…");
      if (title && texts[0] && texts.every(Boolean))
        found.push(...texts.map((rule) => ({ rule, file, title })));
      else
        problems.push(`${file}: Call covers("rule.id") in a test that runs, under plain titles.`);
    }
    node.forEachChild((child) => visit(child, inside));
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), []);
  return found;
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

function fidelityPage(
  rules: readonly Rule[],
  options: ReturnType<typeof readOptions>,
  coverage: readonly Coverage[],
): string {
  const row = ({ id, rule }: Rule): string => {
    const own = coverage.filter((test) => test.rule === id);
    const tests = [...Map.groupBy(own, ({ file }) => file)].flatMap(([file, inFile]) => {
      const link = `[${file.replace(/^packages\/mock\/(src\/)?/, "")}](../${file})`;
      return [link, ...inFile.map(({ title }) => cell(title))];
    });
    const names = settling(options, id)
      .map((name) => `\`${name}\``)
      .join(", ");
    const settled = names === "" ? "" : `<br>Settled by ${names}.`;
    return `| \`${id}\` | ${cell(rule)}${settled} | ${tests.join("<br>")} |\n`;
  };
  const sections = [...Map.groupBy(rules, ({ section }) => section)].map(
    ([section, own]) =>
      `\n## ${section}\n\n| rule | what it says | tests |\n| --- | --- | --- |\n${own.map(row).join("")}`,
  );
  const tests = new Set(coverage.map(({ file, title }) => `${file} ${title}`));
  return `<!-- Generated from spec/rules.json and the tests of packages/mock by \`npm run generate\`. Do not edit. -->

# Rules of the reference server and their tests

Every rule of the service that \`@tryon/mock\` implements, in the order of \`spec/rules.json\`, with the test that fails if the server breaks it. In a title, \`…\` is a value of the test case.

${tests.size} tests cover ${rules.length} rules. The service leaves ${rules.filter(({ open }) => open).length} of them open; an option or a decision settles each.
${sections.join("")}`;
}
