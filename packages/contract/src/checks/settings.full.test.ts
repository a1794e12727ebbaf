import { optionTable, type MockOptions, type Options } from "@tryon/mock";
import { expect, test } from "vitest";

import { areas, failures, runArea, type Area } from "../../test/run-checks.ts";
import { hiddenOptions } from "../open-points.ts";

const alternate = { profile: "alternate" } as const;
// A server in process allows webhooks to loopback, and http for them.
const inProcess = ["submitted-urls.webhook_url.https"];
const allowed = ["webhooks.target.not-https"];
const webhookIds = areas.webhooks.checks.map(({ id }) => id);
// A 400 has no list of problems that could repeat the input, and a proxy ends requests before the limit.
const listed = ["refusals.all-problems", "refusals.loc", "refusal-order.form-before-meaning"];
const sync = ["sync.limit", "sync.limit.message"];
// A 400 can be of a field, a 409 has no credits, and a header that is never sent no unit.
const billed = ["refusals.422.free", "rate-limit.headers", "rate-limit.reset"];
const unbilled = ["repeatCredits", "unknownPack", "resetUnit"];
const slow = { latency: "20s" } as const;
const queue = ["reportQueued"];

test.each<[Area, MockOptions, notObservable: readonly string[], unknown: readonly string[]]>([
  ["requests", {}, inProcess, []],
  ["requests", alternate, [...inProcess, ...listed], ["echoInput"]],
  ["requests", { allowPrivateWebhooks: false }, [], []],
  ["jobs", {}, [], queue],
  ["jobs", alternate, sync, queue],
  ["jobs", { concurrency: 2 }, [], []],
  ["jobs", { ...alternate, concurrency: 2 }, sync, []],
  ["jobs", { latency: 0 }, [], queue],
  ["jobs", slow, [], queue],
  ["billing", {}, [], []],
  ["billing", alternate, billed, unbilled],
  ["billing", { latency: 0 }, [], []],
  ["billing", { ...slow, concurrency: 1 }, [], []],
  ["webhooks", {}, allowed, []],
  ["webhooks", alternate, allowed, []],
  ["webhooks", { latency: 0 }, allowed, []],
  ["webhooks", { ...slow, concurrency: 1, options: { reportQueued: true } }, allowed, []],
  [
    "webhooks",
    { allowPrivateWebhooks: false },
    webhookIds.filter((id) => !allowed.includes(id)),
    ["webhookBody"],
  ],
])("%s pass and observe a server with %j", async (area, given, notObservable, unknown) => {
  const { profile, ...report } = await runArea(area, given);
  expect(failures(report)).toBe("");
  expect(report.notObservable).toEqual(notObservable);
  expect(report.options).toMatchObject(profile.options);
  expect(profile.unknown).toEqual([...unknown, ...hiddenOptions]);
});

const optionsOf = (area: Area): readonly string[] => areas[area].probes.map((one) => one.option);
// The table has these values for the options.
const billingValues: readonly Partial<Options>[] = optionTable.flatMap(({ id, values }) =>
  optionsOf("billing").includes(id) ? values.map((value) => ({ [id]: value })) : [],
);
const mixtures: readonly Partial<Options>[] = [1, 2, 3].map((turn) =>
  Object.fromEntries(
    optionTable.map(({ id, values }, index) => [id, values[(turn * (index + 1)) % values.length]]),
  ),
);

test.each<readonly [Area, Partial<Options>]>([
  ...billingValues.map((options) => ["billing", options] as const),
  ["billing", { sparseSubmit: true, readLag: 800, rateHeaders: "429-only", resetUnit: "delta" }],
  ["billing", { syncCut: 30, concurrentTwin: 409, checkOrder: "body-first", idempotencyHours: 1 }],
  ["billing", { refund: "failed", suspendAfterContentBlocked: 5, dailySpendCap: 100_000 }],
  ["billing", { replayHeader: false, jsonTypes: "lax", malformedBody: 400 }],
  ["billing", { retryAfterFormat: "date", purchaseRepeat: 409 }],
  ["requests", { checkOrder: "body-first", malformedBody: 422, readLag: 800, sparseSubmit: true }],
  ["requests", { malformedBody: 400, echoInput: "full", syncCut: 30, reportQueued: true }],
  [
    "requests",
    { jsonTypes: "lax", rateHeaders: "none", slashRedirect: true, filterName: "status" },
  ],
  ["webhooks", { webhookBody: "resigned", timeFormat: "offset" }],
  ["webhooks", { timeFormat: "naive", readLag: 800, sparseSubmit: true }],
  ["webhooks", { resultsOrigin: "other", refund: "failed", rateHeaders: "none" }],
  ...mixtures.map((options) => ["jobs", options] as const),
])("%s pass and observe %j", async (area, options) => {
  const { profile, ...report } = await runArea(area, { options, concurrency: 3 });
  expect(failures(report)).toBe("");
  expect(report.options).toMatchObject(profile.options);
  const probed = Object.entries(options).filter(([id]) => optionsOf(area).includes(id));
  expect(profile.options).toMatchObject(Object.fromEntries(probed));
});
