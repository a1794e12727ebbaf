import { createMock, optionTable, type MockOptions, type Options } from "@tryon/mock";
import spec from "@tryon/spec/options.json" with { type: "json" };
import { cases } from "@tryon/test-kit/cases";
import { sample } from "fast-check";
import { describe, expect, test } from "vitest";

import { runContract } from "./contract.ts";
import type { Report } from "./report.ts";
import type { JsonReport } from "./report/json.ts";
import { command } from "../test/command.ts";
import { anyOptions, failures, runAgainst } from "../test/run-checks.ts";

function check(options: MockOptions, only: readonly string[] = []): Promise<Report> {
  const mock = createMock({ clock: "manual", seed: "conformance", concurrency: 2, ...options });
  return runAgainst(mock, only);
}

const alternate: Partial<Options> = Object.fromEntries(
  optionTable.map(({ id, values }) => [id, values.at(-1)]),
);
const hiddenByAlternate: Partial<Options> = {
  rateHeaders: "429-only",
  fieldStatus: 422,
  purchaseRepeat: "replay",
};

const observable = optionTable.filter((row) => row.observable);
const probes = ["observed."];

/**
 * Observable values of options. A header that is never sent has no unit, a 409 no credits, and a 400 no list of problems
 * that could repeat the input or name the pack.
 */
function observed(options: Partial<Options>): Record<string, unknown> {
  const is400 = options.fieldStatus === 400;
  // A pack that is a 400 can be refused as a field.
  const hidden = new Set<string>([
    ...(options.rateHeaders === "none" ? ["resetUnit"] : []),
    ...(options.purchaseRepeat === 409 ? ["repeatCredits"] : []),
    ...(is400 ? ["echoInput", "unknownPack"] : []),
  ]);
  const all = observable.map(({ id, values }) => [id, options[id] ?? values[0]] as const);
  return Object.fromEntries(all.filter(([id]) => !hidden.has(id)));
}

test("passes, and is observed with its own options", async () => {
  const mock = createMock({ clock: "manual", seed: "conformance", concurrency: 2 });
  const report = await runAgainst(mock, []);
  expect(failures(report)).toBe("");
  expect(report.profile.options).toEqual(observed({}));
  expect(report.profile.unknown).toEqual(
    optionTable.filter((row) => !row.observable).map(({ id }) => id),
  );
  expect(mock.faults.list()).toEqual([]);
});

describe("the reference server keeps the contract", () => {
  // It takes 12 s, and more on a busy machine.
  const timeout = 120_000;

  test(
    "with every option at another value, and exits with 0 and names the value at every open rule",
    { timeout },
    async () => {
      const explained = new Set<string>();
      const named = new Set<string>();
      for (const shown of [{}, hiddenByAlternate]) {
        const options = { ...alternate, ...shown };
        const mock = createMock({ clock: "manual", seed: "conformance", concurrency: 2, options });
        const argv = ["--base-url", mock.baseUrl, "--level", "full", "--report", "json"];
        const { code, stdout } = await command(argv, { fetch: mock.fetch });
        const { summary, observations, profile } = JSON.parse(stdout) as JsonReport;
        expect(profile.options).toEqual(observed(options));
        expect({ code, failed: summary.failed }).toEqual({ code: 0, failed: 0 });
        expect(summary.differing).toBeGreaterThan(0);
        for (const { option, value, rules, deviations } of observations) {
          if (deviations.length > 0) explained.add(option);
          const usual = observable.find(({ id }) => id === option)?.values[0];
          if (value !== null && value !== usual) for (const rule of rules) named.add(rule);
        }
      }
      const settled = spec.options.filter(({ notObservable }) => notObservable === undefined);
      expect(settled.flatMap(({ rules }) => rules).filter((id) => !named.has(id))).toEqual([]);
      expect([...explained].toSorted()).toEqual([
        "oversize",
        "rateHeaders",
        "slashRedirect",
        "sparseSubmit",
        "syncCut",
        "timeFormat",
        "wrongContentType",
      ]);
    },
  );

  const mixtures = sample(anyOptions, { numRuns: cases(20), seed: 20_260_101 });
  test.each(mixtures)(
    "with the options of mixture %#, which its profile sets again",
    async (options) => {
      const report = await check({ options });
      expect(failures(report)).toBe("");
      const profile = report.profile.options;
      expect(profile).toEqual(observed(options));
      const again = await check({ profile: { options: profile } }, probes);
      expect(again.profile.options).toEqual(profile);
    },
  );
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
  let requests = 0;
  const report = await runContract({
    baseUrl: mock.baseUrl,
    apiKey: mock.keys.test,
    keys: { live: mock.keys.live },
    allowLive: true,
    maxCredits: Infinity,
    level: "full",
    fetch: async (input, init) => {
      requests += 1;
      // Other users submit with the same key and with their own.
      if (requests % 20 === 0) await Promise.all([submit(mock.keys.test), submit(stranger.token)]);
      return mock.fetch(input, init);
    },
  });
  expect(failures(report)).toBe("");
});
