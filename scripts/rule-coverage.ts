import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

type Rule = Readonly<Record<"id" | "section" | "rule", string>> & {
  readonly shown_by: readonly string[];
  readonly open?: true;
  readonly options?: readonly string[];
};

/** A test that covers a rule, with the titles of its suites in its title. */
type Coverage = Readonly<Record<"rule" | "file" | "title", string>>;

/** The ids of the server's rules as a type, and a page with the tests that cover each rule. */
export function ruleCoverage(root: string, problems: string[]): { ids: string; page: string } {
  const spec = readFileSync(join(root, "spec/rules.json"), "utf8");
  // The tests of spec/ validate the file.
  const { rules: all } = JSON.parse(spec) as { rules: readonly Rule[] };
  const rules = all.filter(({ shown_by }) => shown_by.includes("server"));
  const coverage = globSync("packages/mock/{src,test}/**/*.test.ts", { cwd: root })
    .toSorted()
    .flatMap((file) => coveredRules(file, readFileSync(join(root, file), "utf8"), problems));
  for (const { id } of rules)
    if (!coverage.some(({ rule }) => rule === id))
      problems.push(`No test covers ${id}. Write one in packages/mock and call shows("${id}").`);
  const ids = `// Generated from spec/rules.json by \`npm run generate\`. Do not edit.

/** The id of a service rule that the reference server implements. */
export type ServerRule =
${rules.map(({ id }) => `  | ${JSON.stringify(id)}`).join("\n")};
`;
  return { ids, page: fidelityPage(rules, coverage) };
}

/** Reads the calls of `shows` in a test file, with the titles of the tests and suites around each. */
export function coveredRules(file: string, text: string, problems: string[]): readonly Coverage[] {
  const found: Coverage[] = [];
  /** Visits a node; `titles` is undefined where no test runs, or a title is not plain text. */
  const visit = (node: ts.Node, titles: readonly string[] | undefined): void => {
    let inside = titles;
    const [first, ...others] = ts.isCallExpression(node) ? node.arguments : [];
    const callee = ts.isCallExpression(node) ? node.expression.getText() : "";
    if (/^(?:test|it|describe)\b/.test(callee)) {
      const plain = first && ts.isStringLiteralLike(first) ? first.text : undefined;
      const runs = !/^\w+(?:\.\w+)*\.(?:skip|todo|fails)/.test(callee);
      inside = titles && runs && plain !== undefined ? [...titles, plain] : undefined;
    } else if (callee === "shows") {
      const rules = [first, ...others].map((rule) => rule && ts.isStringLiteral(rule) && rule.text);
      // The runner replaces %s and $name with the values of a case.
      const title = titles?.join(" › ").replaceAll(/%[sdifjoO#$]|\$\w+/gu, "…");
      for (const rule of rules)
        if (title && rule) found.push({ rule, file, title });
        else
          problems.push(`${file}: Call shows("rule.id") in a test that runs, under plain titles.`);
    }
    node.forEachChild((child) => visit(child, inside));
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), []);
  return found;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

function fidelityPage(rules: readonly Rule[], coverage: readonly Coverage[]): string {
  const row = ({ id, rule, options }: Rule): string => {
    const own = coverage.filter((test) => test.rule === id);
    const tests = [...Map.groupBy(own, ({ file }) => file)].map(([file, inFile]) => {
      const link = `[${file.replace(/^packages\/mock\/(src\/)?/, "")}](../${file})`;
      return [link, ...inFile.map(({ title }) => cell(title))].join("<br>");
    });
    const settled = options && `<br>Settled by \`${options.join("`, `")}\`.`;
    return `| \`${id}\` | ${cell(rule)}${settled ?? ""} | ${tests.join("<br>")} |\n`;
  };
  const sections = [...Map.groupBy(rules, ({ section }) => section)].map(
    ([section, own]) =>
      `\n## ${section}\n\n| rule | what it says | tests |\n| --- | --- | --- |\n${own.map(row).join("")}`,
  );
  const tests = new Set(coverage.map(({ file, title }) => `${file} ${title}`)).size;
  const open = rules.filter((rule) => rule.open).length;
  return `<!-- Generated from spec/rules.json and the tests of packages/mock by \`npm run generate\`. Do not edit. -->

# Rules of the reference server and their tests

Every rule of the service that \`@tryon/mock\` implements, in the order of \`spec/rules.json\`, with the tests that fail if the server breaks it. In a title, \`…\` is a value of the test case.

${tests} tests cover ${rules.length} rules. The service leaves ${open} of them open; an option or a decision settles each.
${sections.join("")}`;
}
