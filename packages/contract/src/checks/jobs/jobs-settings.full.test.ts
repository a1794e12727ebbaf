import { createMock, optionTable, type MockOptions } from "@tryon/mock";
import { expect, test } from "vitest";

import { jobProbes } from "../../probes/jobs.ts";
import { failedIds, runAgainst } from "../../../test/run-checks.ts";
import { notObservableIds } from "../../../test/run-checks.ts";
import { jobChecks } from "../index.ts";

const ids = [...jobChecks, ...jobProbes].map(({ id }) => id);

function run(options: MockOptions, only: readonly string[] = ids) {
  return runAgainst(createMock({ clock: "manual", ...options }), only);
}

const needSync = ["sync.limit", "sync.limit.message"];

test.each([
  ["its defaults", {}, []],
  ["the alternate profile", { profile: "alternate" }, needSync],
  ["two jobs at a time", { concurrency: 2 }, []],
  ["a visible queue of two jobs", { profile: "alternate", concurrency: 2 }, needSync],
  ["a model without delay", { latency: 0 }, []],
  ["a slow model", { latency: "20s" }, []],
] as const)("passes a reference server with %s", async (_name, options, expected) => {
  const report = await run(options);
  expect(failedIds(report)).toEqual([]);
  expect(notObservableIds(report).filter((id) => ids.includes(id))).toEqual(expected);
});

const mixtures = [1, 2, 3].map((turn) =>
  Object.fromEntries(
    optionTable.map(({ id, values }, index) => [id, values[(turn * (index + 1)) % values.length]]),
  ),
);

test.each(mixtures)("passes and observes a mixture of options (%#)", async (options) => {
  const report = await run({ options });
  expect(failedIds(report)).toEqual([]);
  const observed = jobProbes.filter(({ option }) => option !== "reportQueued");
  const expected = Object.fromEntries(observed.map(({ option }) => [option, options[option]]));
  expect(report.profile.options).toEqual(expected);
});

const values = jobProbes.flatMap(({ id, option }) =>
  (optionTable.find((row) => row.id === option)?.values ?? []).map(
    (value) => [id, option, value] as const,
  ),
);

test.each(values)("%s observes %s = %s", async (id, option, value) => {
  const report = await run({ options: { [option]: value }, concurrency: 2 }, [id]);
  expect(report.profile.options).toEqual({ [option]: value });
  expect(failedIds(report)).toEqual([]);
});

test("reports reportQueued as unknown without a queue", async () => {
  const { profile } = await run({ options: { reportQueued: true } }, ["observed.reportQueued"]);
  expect(profile.unknown).toContain("reportQueued");
});
