import { optionTable, type MockOptions, type Options } from "@tryon/mock";
import { expect, test } from "vitest";

import { billingProbes } from "../../probes/billing.ts";
import { hiddenOptions } from "../../open-points.ts";
import { failures, notObservableIds, runArea } from "../../../test/run-checks.ts";
import { billingChecks } from "../index.ts";

const billing = { checks: billingChecks, probes: billingProbes };
const probed = new Set<string>(billingProbes.map(({ option }) => option));

test.each([
  ["default", [], []],
  // A 400 has no list of problems and can be of a field, a 409 has no credits, and a header that is never sent no unit.
  [
    "alternate",
    ["refusals.422.free", "rate-limit.headers", "rate-limit.reset"],
    ["resetUnit", "repeatCredits", "unknownPack"],
  ],
] as const)("passes the profile %s", async (profile, notObservable, unknown) => {
  const report = await runArea(billing, { profile });
  expect(failures(report)).toBe("");
  expect(notObservableIds(report)).toEqual(notObservable);
  expect(report.profile.unknown.toSorted()).toEqual([...unknown, ...hiddenOptions].toSorted());
});

const values = optionTable
  .filter(({ id }) => probed.has(id))
  .flatMap(({ id, values: all }) => all.map((value) => [id, value] as const));

test.each(values)("observes %s = %s", async (id, value) => {
  // The table has these values for the option.
  const options = { [id]: value } as Partial<Options>;
  const report = await runArea(billing, { options });
  expect(failures(report)).toBe("");
  expect(report.profile.options[id]).toBe(value);
});

const settings: readonly MockOptions[] = [
  { options: { sparseSubmit: true, readLag: 800, rateHeaders: "429-only", resetUnit: "delta" } },
  { options: { syncCut: 30, concurrentTwin: 409, checkOrder: "body-first", idempotencyHours: 1 } },
  {
    options: {
      refund: "failed",
      suspendAfterContentBlocked: 5,
      dailySpendCap: 100_000,
      replayHeader: false,
    },
  },
  {
    options: {
      jsonTypes: "lax",
      malformedBody: 400,
      retryAfterFormat: "date",
      purchaseRepeat: 409,
    },
  },
  { latency: 0 },
  { latency: "20s", concurrency: 1 },
];

test.each(settings)("passes with %j", async (setting) => {
  const report = await runArea(billing, setting);
  expect(failures(report)).toBe("");
  const options = Object.entries(setting.options ?? {}).filter(([id]) => probed.has(id));
  expect(report.profile.options).toMatchObject(Object.fromEntries(options));
});
