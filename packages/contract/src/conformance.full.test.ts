import { createMock, optionTable, type MockOptions, type Options } from "@tryon/mock";
import { cases, tenth } from "@tryon/test-kit/cases";
import { describe, expect, test } from "vitest";

import { runContract } from "./contract.ts";
import type { Report } from "./report.ts";
import { mixtures } from "../test/mixtures.ts";

/** Checks a server on which jobs wait for each other, so that a queue is observable. */
function check(options: MockOptions, only: readonly string[] = []): Promise<Report> {
  const mock = createMock({ clock: "manual", seed: "conformance", concurrency: 2, ...options });
  return runContract({ baseUrl: mock.baseUrl, fetch: mock.fetch, level: "full", only });
}

const observable = optionTable.filter((row) => row.observable);
const probes = ["observed."];

/** Observable values of options. A header that is never sent has no unit. */
function observed(options: Partial<Options>): Record<string, unknown> {
  const all = observable.map(({ id, values }) => [id, options[id] ?? values[0]] as const);
  return Object.fromEntries(
    all.filter(([id]) => id !== "resetUnit" || options.rateHeaders !== "none"),
  );
}

test("passes, and is observed with its own options", async () => {
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
  test("with the profile alternate", async () => {
    const { checks, observations } = await check({ profile: "alternate" });
    expect(checks.filter(({ status }) => status === "failed")).toEqual([]);
    const deviating = observations.filter(({ deviations }) => deviations.length > 0);
    expect(deviating.map(({ option }) => option).toSorted()).toEqual([
      "oversize",
      "rateHeaders",
      "slashRedirect",
      "sparseSubmit",
      "syncCut",
      "timeFormat",
    ]);
  });

  test.each(mixtures(cases(20)))("with the options of mixture %#", async (options) => {
    const report = await check({ options });
    expect(report.checks.filter(({ status }) => status === "failed")).toEqual([]);
    expect(report.profile.options).toEqual(observed(options));
    const again = await check({ profile: report.profile }, probes);
    expect(again.profile).toEqual(report.profile);
  });
});

test("checks keys with a history while others use them", async () => {
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
      // Other users submit with the same key and with their own.
      if (calls % 20 === 0) await Promise.all([submit(mock.keys.test), submit(stranger.token)]);
      return mock.fetch(input, init);
    },
  });
  expect(report.checks.filter(({ status }) => status === "failed")).toEqual([]);
});

describe("a server with an observed profile has the same observations", () => {
  const values = observable.flatMap(({ id, values: all }) =>
    all.slice(1).map((value) => [id, value] as const),
  );
  test.each(tenth(values))("where %s is %j", async (id, value) => {
    const { profile } = await check({ options: { [id]: value } }, probes);
    expect(profile.options).toEqual(observed({ [id]: value }));
    const again = await check({ profile }, probes);
    expect(again.profile).toEqual(profile);
  });
});
