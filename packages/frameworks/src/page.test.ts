import { existsSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { checks } from "./checks.ts";
import { resultOf } from "./page.ts";
import { works } from "./result.ts";
import results from "./results.json" with { type: "json" };
import { rows } from "./rows.ts";
import { nameOf } from "./run-row.ts";

it("has the date of the last run of all rows", () => {
  expect(results.date).toMatch(/^20\d\d-\d\d-\d\d$/);
  expect(Object.keys(results.rows)).toEqual(rows.map(({ id }) => id));
});

it.each(rows)(
  "$title has an app, exact versions, and a result or a reason for each check",
  (row) => {
    const { versions = {}, outcomes = {} } = resultOf(row) ?? {};
    const names = row.packages.map(nameOf);
    expect(Object.keys(versions)).toEqual(names);
    for (const version of Object.values(versions)) expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(Object.keys(outcomes)).toEqual(Object.keys(checks));
    // A result that loses an event or charges twice does not belong on a page. Others need a note.
    const wrong = Object.entries(outcomes).filter(([name, outcome]) => {
      const isKnown = !checks[name]?.isFatal && row.notes?.[name]?.endsWith(".") === true;
      return outcome !== (row.without?.[name] ?? works) && !isKnown;
    });
    expect(wrong).toEqual([]);
    for (const file of row.recipe)
      expect(existsSync(join(import.meta.dirname, "apps", row.id, file))).toBe(true);
  },
);
