import type { MockOptions } from "@tryon/mock";
import { expect, test } from "vitest";

import { webhookProbes } from "../../probes/billing.ts";
import { failures, notObservableIds, runArea } from "../../../test/run-checks.ts";
import { webhookChecks } from "../index.ts";

const guarded = "webhooks.target.not-https";
const webhooks = { checks: webhookChecks, probes: webhookProbes };
// A receiver that hangs takes a second of real time.
const isQuick = ({ id }: { readonly id: string }) => id !== "webhooks.receiver.ten-seconds";
const quick = { ...webhooks, checks: webhookChecks.filter(isQuick) };

test.each([
  ["default", "same"],
  ["alternate", "resigned"],
] as const)("passes the profile %s", async (profile, body) => {
  const report = await runArea(webhooks, { profile });
  expect(failures(report)).toBe("");
  expect(notObservableIds(report)).toEqual([guarded]);
  expect(report.profile.options).toEqual({ webhookBody: body });
});

const mixtures: MockOptions[] = [
  { options: { webhookBody: "resigned", timeFormat: "offset" } },
  { options: { webhookBody: "same", timeFormat: "naive", readLag: 800, sparseSubmit: true } },
  { options: { resultsOrigin: "other", refund: "failed", rateHeaders: "none" } },
  { latency: 0 },
  { latency: "20s", concurrency: 1, options: { reportQueued: true } },
];

test.each(mixtures)("passes with %j", async (options) => {
  const report = await runArea(quick, options);
  expect(failures(report)).toBe("");
  expect(report.profile.options["webhookBody"]).toBe(options.options?.webhookBody ?? "same");
});

test("checks only refusals of a server that refuses webhooks to its own machine", async () => {
  const report = await runArea(quick, { allowPrivateWebhooks: false });
  expect(failures(report)).toBe("");
  const passed = report.checks.filter(
    ({ id, status }) => id.startsWith("web") && (status === "passed" || status === "observed"),
  );
  expect(passed.map(({ id }) => id)).toEqual([guarded]);
});
