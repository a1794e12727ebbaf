import { createMock, optionTable, type MockOptions, type Options } from "@tryon/mock";
import { cases, tenth } from "@tryon/test-kit/cases";
import { describe, expect, test } from "vitest";

import { runContract } from "./contract.ts";
import type { Report } from "./report.ts";
import { mixtures } from "../test/mixtures.ts";

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

test("the reference server keeps the contract, and is seen as it is set", async () => {
  const mock = createMock({ clock: "manual", seed: "conformance", concurrency: 2 });
  const report = await runContract({ baseUrl: mock.baseUrl, fetch: mock.fetch, level: "full" });
  expect(report.checks.filter(({ status }) => status === "failed")).toEqual([]);
  expect(report.profile).toEqual({
    options: Object.fromEntries(
      optionTable.filter((row) => row.observable).map(({ id, values }) => [id, values[0]]),
    ),
    unknown: optionTable.filter((row) => !row.observable).map(({ id }) => id),
  });
  expect(mock.faults.list()).toEqual([]);
});

describe("the reference server keeps the contract", () => {
  test("where every open point is at its other value", async () => {
    const { checks, observations } = await look({ profile: "alternate" });
    expect(checks.filter(({ status }) => status === "failed")).toEqual([]);
    const deviating = observations.filter(({ deviations }) => deviations.length > 0);
    expect(deviating.map(({ option }) => option).toSorted()).toEqual(
      optionTable
        .filter((row) => row.deviations.length > 0)
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  test.each(mixtures(cases(20)))("whatever its options are: mixture %#", async (options) => {
    const report = await look({ options });
    expect(report.checks.filter(({ status }) => status === "failed")).toEqual([]);
    expect(report.profile.options).toEqual(seen(options));
    const again = await look({ profile: report.profile }, probes);
    expect(again.profile).toEqual(report.profile);
  });
});

test("keys that others use and that have a history are looked at beside their jobs", async () => {
  const mock = createMock({ clock: "manual", seed: "others" });
  const stranger = await mock.createKey({ credits: 10_000, rateLimitPerMinute: 100_000 });
  const submit = (token: string) =>
    mock.fetch(`${mock.baseUrl}/api/v1/tryon`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({
        person_url: "https://shop.example/me.jpg",
        garment_urls: ["https://shop.example/shirt.png"],
        wait: false,
      }),
    });
  for (let job = 0; job < 30; job += 1)
    await submit(job % 2 === 0 ? mock.keys.test : mock.keys.live);
  let calls = 0;
  const report = await runContract({
    baseUrl: mock.baseUrl,
    apiKey: mock.keys.test,
    keys: { live: mock.keys.live },
    allowLive: true,
    maxCredits: Infinity,
    level: "full",
    fetch: async (input, init) => {
      calls += 1;
      // Every now and then somebody else submits, with the key that is looked at and with his own.
      if (calls % 20 === 0) await Promise.all([submit(mock.keys.test), submit(stranger.token)]);
      return mock.fetch(input, init);
    },
  });
  expect(report.checks.filter(({ status }) => status === "failed")).toEqual([]);
});

describe("what was observed, given to another server, is observed again", () => {
  const values = observable.flatMap(({ id, values: all }) =>
    all.slice(1).map((value) => [id, value] as const),
  );
  test.each(tenth(values))("where %s is %j", async (id, value) => {
    const { profile } = await look({ options: { [id]: value } }, probes);
    expect(profile.options).toEqual(seen({ [id]: value }));
    const again = await look({ profile }, probes);
    expect(again.profile).toEqual(profile);
  });
});
