import { optionTable } from "@tryon/mock";
import spec from "@tryon/spec/rules.json" with { type: "json" };
import { describe, expect, test } from "vitest";

import { areOpen } from "./check.ts";
import { allChecks, notObservableRules, shapeRules } from "./checks/index.ts";
import { allProbes } from "./probes/index.ts";
import { operations } from "./wire/document.ts";

const { rules } = spec;
const shapes = operations.flatMap(({ title, responses }) =>
  [...responses.keys()].flatMap((status) => shapeRules(title, status)),
);
const shown = [...[...allChecks, ...allProbes].flatMap((check) => check.rules), ...shapes];

describe("the table of checks", () => {
  test("has no id twice", () => {
    const ids = [...allChecks, ...allProbes].map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test("names only rules that there are", () => {
    const known = new Set(rules.map(({ id }) => id));
    const named = [...shown, ...Object.keys(notObservableRules)];
    expect(named.filter((id) => !known.has(id))).toEqual([]);
  });

  test("shows every rule of the server, or says why it cannot be seen", () => {
    const covered = new Set([...shown, ...Object.keys(notObservableRules)]);
    const server = rules.filter((rule) => rule.shown_by.includes("server"));
    expect(server.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([]);
    expect(Object.keys(notObservableRules).filter((id) => shown.includes(id))).toEqual([]);
  });

  test("names an open rule in a check only if it rests on open rules alone", () => {
    const mixed = allChecks.filter(
      (check) => !areOpen(check.rules) && check.rules.some((rule) => areOpen([rule])),
    );
    // These fail only where a value is wrong, whichever the deployment has.
    expect(mixed.map(({ id }) => id)).toEqual([
      "job.result-url.expires",
      "job.result-url.signed",
      "privacy.results.deleted",
      "rate-limit.account",
    ]);
  });

  test("has a probe for every open point that can be observed, and for no other", () => {
    const observable = optionTable.filter((row) => row.observable).map(({ id }) => id);
    const probed = allProbes.map(({ option }) => option);
    expect(probed.toSorted()).toEqual(observable.toSorted());
  });
});
