import { createMock, optionTable, type MockOptions, type Options } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { runContract } from "./contract.ts";
import type { Report } from "./report.ts";
import { mixtures } from "./testing/mixtures.ts";

/** Looks at a server on which jobs wait for one another, so that a queue can be seen. */
function look(options: MockOptions, only: readonly string[] = []): Promise<Report> {
  const mock = createMock({ clock: "manual", seed: "conformance", concurrency: 2, ...options });
  return runContract({ baseUrl: mock.baseUrl, fetch: mock.fetch, level: "full", only });
}

const observable = optionTable.filter((row) => row.observable);
const probes = ["observed."];

/** What can be seen of these options: a header that is never sent has no unit. */
function seen(options: Partial<Options>): Record<string, unknown> {
  const all = observable.map(({ id, values }) => [id, options[id] ?? values[0]] as const);
  return Object.fromEntries(
    all.filter(([id]) => id !== "resetUnit" || options.rateHeaders !== "none"),
  );
}

describe("the reference server keeps the contract", () => {
  test("where every open point is at its other value", async () => {
    const { checks } = await look({ profile: "contrary" });
    expect(checks.filter(({ status }) => status === "broken")).toEqual([]);
  });

  test.each(mixtures(20))("whatever its options are: mixture %#", async (options) => {
    const report = await look({ options });
    expect(report.checks.filter(({ status }) => status === "broken")).toEqual([]);
    expect(report.profile.options).toEqual(seen(options));
    const again = await look({ profile: report.profile }, probes);
    expect(again.profile).toEqual(report.profile);
  });
});

describe("what was observed, given to another server, is observed again", () => {
  const values = observable.flatMap(({ id, values: all }) =>
    all.slice(1).map((value) => [id, value] as const),
  );
  test.each(values)("where %s is %j", async (id, value) => {
    const { profile } = await look({ options: { [id]: value } }, probes);
    expect(profile.options).toEqual(seen({ [id]: value }));
    const again = await look({ profile }, probes);
    expect(again.profile).toEqual(profile);
  });
});
