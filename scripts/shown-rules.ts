import ts from "typescript";

/** A test that says of a rule that it shows it. */
export interface Showing {
  readonly rule: string;
  readonly file: string;
  /** The titles around the test, from the outermost in, and its own. */
  readonly titles: readonly string[];
}

/** What a file of tests says, and what is wrong in how it says it. */
export interface ShownRules {
  readonly showings: readonly Showing[];
  readonly problems: readonly string[];
}

interface Title {
  readonly text: string | undefined;
  /** The function in which the test, or the group of tests, stands. */
  readonly body: ts.Node | undefined;
  readonly isTest: boolean;
  readonly runs: boolean;
}

/** Reads the calls of `shows` in a file of tests, and the titles of the tests in which they stand. */
export function shownRules(file: string, text: string): ShownRules {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const showings: Showing[] = [];
  const problems: string[] = [];

  const visit = (node: ts.Node, titles: readonly Title[]): void => {
    if (!ts.isCallExpression(node)) return node.forEachChild((child) => visit(child, titles));
    if (ts.isIdentifier(node.expression) && node.expression.text === "shows") read(node, titles);
    const title = titleOf(node);
    const inside = title === undefined ? titles : [...titles, title];
    node.forEachChild((child) => visit(child, child === title?.body ? inside : titles));
  };

  const read = (call: ts.CallExpression, titles: readonly Title[]): void => {
    const { line } = source.getLineAndCharacterOfPosition(call.getStart(source));
    const complain = (problem: string): number =>
      problems.push(`${file}:${line + 1}: shows(…) ${problem}`);
    const test = titles.at(-1);
    const around: ts.Node = call.parent.parent;
    if (!test?.isTest || !ts.isExpressionStatement(call.parent) || around.parent !== test.body) {
      complain("has to be a statement of its own, directly in the function of a test.");
      return;
    }
    if (titles.some(({ runs }) => !runs)) complain("stands in a test that does not run.");
    const texts = titles.map((title) => title.text);
    if (!texts.every((title) => title !== undefined)) {
      complain("stands under a title that is no plain text.");
      return;
    }
    const rules = call.arguments.map((rule) => (ts.isStringLiteral(rule) ? rule.text : undefined));
    if (rules.length === 0 || !rules.every((rule) => rule !== undefined)) {
      complain("has to name the ids of rules, each as a plain text.");
      return;
    }
    const before = showings.filter(({ titles: other }) => other.join("\n") === texts.join("\n"));
    for (const [index, rule] of rules.entries()) {
      const again = rules.indexOf(rule) !== index || before.some((other) => other.rule === rule);
      if (again) complain(`names ${rule} twice for one test.`);
      else showings.push({ rule, file, titles: texts });
    }
  };

  visit(source, []);
  return { showings, problems };
}

/** The title of `test("…", …)`, `describe("…", …)` and their forms such as `test.each(…)("…", …)`. */
function titleOf(call: ts.CallExpression): Title | undefined {
  const names = namesOf(call.expression);
  const [kind = ""] = names;
  if (!["test", "it", "describe"].includes(kind)) return undefined;
  // The first of the two calls of `test.each(…)("…", …)` has no title yet.
  if (names.at(-1) === "each" && ts.isPropertyAccessExpression(call.expression)) return undefined;
  const [title] = call.arguments;
  if (title === undefined) return undefined;
  return {
    text: ts.isStringLiteralLike(title) ? title.text : undefined,
    body: call.arguments.find((part) => ts.isArrowFunction(part) || ts.isFunctionExpression(part)),
    isTest: kind !== "describe",
    runs: !names.some((name) => ["skip", "todo", "fails"].includes(name)),
  };
}

function namesOf(callee: ts.Expression): readonly string[] {
  if (ts.isIdentifier(callee)) return [callee.text];
  if (ts.isCallExpression(callee)) return namesOf(callee.expression);
  if (ts.isTaggedTemplateExpression(callee)) return namesOf(callee.tag);
  if (ts.isPropertyAccessExpression(callee))
    return [...namesOf(callee.expression), callee.name.text];
  return [];
}
