import { describe, expect, it } from "vitest";

import { shownRules } from "./shown-rules.ts";

const file = "packages/mock/src/some.test.ts";

function problemsOf(text: string): readonly string[] {
  const { showings, problems } = shownRules(file, text);
  expect(showings).toEqual([]);
  return problems;
}

describe("the rules that tests say they show", () => {
  it.each([
    ["a test", 'test("a", () => { shows("x.y"); });', ["a"]],
    ["an it", 'it("a", async () => { shows("x.y"); });', ["a"]],
    ["a function", 'test("a", function () { shows("x.y"); });', ["a"]],
    ["a test with a limit of time", 'test("a", { timeout: 1 }, () => { shows("x.y"); });', ["a"]],
    ["a group", 'describe("g", () => { test("a", () => { shows("x.y"); }); });', ["g", "a"]],
    [
      "each of a table",
      'test.each([[1], [2]] as const)("a %i", () => { shows("x.y"); });',
      ["a %i"],
    ],
    ["each of a template", 'test.each`a\n${1}`("a $a", () => { shows("x.y"); });', ["a $a"]],
    [
      "groups of a table",
      'describe.each([1])("g", () => { it.each([1])("a", () => { shows("x.y"); }); });',
      ["g", "a"],
    ],
    ["a plain template", 'test(`a`, () => { shows("x.y"); });', ["a"]],
    ["many lines", 'test(\n"a",\n() => {\nshows(\n"x.y",\n);\n},\n);', ["a"]],
  ])("are read in %s", (_where, text, titles) => {
    expect(shownRules(file, text)).toEqual({
      showings: [{ rule: "x.y", file, titles }],
      problems: [],
    });
  });

  it("may be several", () => {
    const { showings } = shownRules(file, 'test("a", () => { shows("x.y", "x.z"); shows("x"); });');
    expect(showings.map(({ rule }) => rule)).toEqual(["x.y", "x.z", "x"]);
  });

  it("are not read in comments and texts", () => {
    const text = 'test("a", () => { /* shows("x.y") */ const b = \'shows("x.y")\'; });';
    expect(shownRules(file, text)).toEqual({ showings: [], problems: [] });
  });
});

describe("a call that says so in a way that cannot be read", () => {
  it.each([
    ["outside of a test", 'shows("x.y");', "directly in the function of a test"],
    ["in a group", 'describe("g", () => { shows("x.y"); });', "directly in the function of a test"],
    [
      "in a condition",
      'test("a", () => { if (b) { shows("x.y"); } });',
      "directly in the function of a test",
    ],
    [
      "in a function within the test",
      'test("a", () => { run(() => { shows("x.y"); }); });',
      "directly in the function of a test",
    ],
    [
      "as a value",
      'test("a", () => { const b = shows("x.y"); });',
      "directly in the function of a test",
    ],
    ["as the whole test", 'test("a", () => shows("x.y"));', "directly in the function of a test"],
    ["by a name", 'test("a", () => { shows(rule); });', "each as a plain text"],
    ["without a rule", 'test("a", () => { shows(); });', "each as a plain text"],
    ["under a title that is made up", 'test(`a ${b}`, () => { shows("x.y"); });', "no plain text"],
  ])("is refused %s", (_where, text, complaint) => {
    const [problem = "", ...more] = problemsOf(text);
    expect(problem).toContain(`${file}:1: shows(…) `);
    expect(problem).toContain(complaint);
    expect(more).toEqual([]);
  });

  it.each(["test.skip", "test.todo", "it.fails", "test.skip.each([1])"])(
    "is refused in %s",
    (form) => {
      expect(shownRules(file, `${form}("a", () => { shows("x.y"); });`).problems).toEqual([
        `${file}:1: shows(…) stands in a test that does not run.`,
      ]);
    },
  );

  it("is refused when a rule comes twice", () => {
    for (const calls of ['shows("x.y", "x.y");', 'shows("x.y");\nshows("x.y");']) {
      const { showings, problems } = shownRules(file, `test("a", () => {\n${calls}\n});`);
      expect(showings).toHaveLength(1);
      expect(problems).toEqual([expect.stringContaining("names x.y twice for one test.")]);
    }
  });
});
