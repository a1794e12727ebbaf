import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

interface Rule {
  readonly id: string;
  readonly section: string;
  readonly rule: string;
  readonly shown_by: readonly string[];
  readonly open?: true;
  readonly options?: readonly string[];
}

/** A test that covers a rule, with the titles of its suites in its title. */
interface Coverage {
  readonly rule: string;
  readonly file: string;
  readonly title: string;
}

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

/** Reads the calls of `shows` in a test file. */
export function coveredRules(file: string, text: string, problems: string[]): readonly Coverage[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Coverage[] = [];
  const visit = (node: ts.Node): void => {
    node.forEachChild(visit);
    if (!ts.isCallExpression(node) || node.expression.getText() !== "shows") return;
    const title = titleAround(node);
    const rules = node.arguments.filter(ts.isStringLiteral);
    if (title !== undefined && rules.length > 0 && rules.length === node.arguments.length)
      found.push(...rules.map((rule) => ({ rule: rule.text, file, title })));
    else {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      problems.push(
        `${file}:${line}: Call shows("rule.id") as a statement of a test that runs, under plain titles.`,
      );
    }
  };
  visit(source);
  return found;
}

/** Joins the titles around a call, if it is a statement of a test and the test runs. */
function titleAround(call: ts.CallExpression): string | undefined {
  const titles: string[] = [];
  let depth = 0;
  for (let node: ts.Node = call; !ts.isSourceFile(node); node = node.parent, depth += 1) {
    if (!ts.isCallExpression(node)) continue;
    const callee = /^(test|it|describe)\b((\.\w+)*)/.exec(node.expression.getText());
    if (callee === null) continue;
    // Up from the call: its statement, a block, a function, the test.
    if (titles.length === 0 && (depth !== 4 || callee[1] === "describe")) return undefined;
    const [title] = node.arguments;
    if (title === undefined || !ts.isStringLiteralLike(title)) return undefined;
    if (/\.(skip|todo|fails)\b/.test(callee[2] ?? "")) return undefined;
    titles.unshift(title.text);
  }
  if (titles.length === 0 || !ts.isExpressionStatement(call.parent)) return undefined;
  // The runner replaces %s and $name with the values of a case.
  return titles.join(" › ").replaceAll(/%[sdifjoO#$]|\$\w+/gu, "…");
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
