import { expect, it } from "vitest";

import { works } from "../result.ts";
import { nameOf } from "../run-row.ts";
import results from "./results.json" with { type: "json" };
import { notApplicable, resultOf } from "./tools-page.ts";
import { tools } from "./tools.ts";

it("has the date of the last run of all tools", () => {
  expect(results.date).toMatch(/^20\d\d-\d\d-\d\d$/);
  expect(Object.keys(results.rows)).toEqual(tools.map(({ id }) => id));
});

it.each(tools)("$title has exact versions, and works or has a note", (tool) => {
  const { versions = {}, outcomes = {} } = resultOf(tool) ?? {};
  expect(Object.keys(versions)).toEqual(tool.packages.map(nameOf));
  for (const version of Object.values(versions)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
  const failed = Object.entries(outcomes).filter(
    ([name, outcome]) =>
      ![works, notApplicable].includes(outcome) && !tool.notes?.[name]?.endsWith("."),
  );
  expect(failed).toEqual([]);
  expect(Object.values(outcomes)).toContain(works);
});
