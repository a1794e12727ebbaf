import type { MockOptions } from "@tryon/mock";
import { describe, expect, test } from "vitest";

import { webhookProbes } from "../../probes/webhooks.ts";
import { failed, related, runChecks, skipped } from "../../../test/run-checks.ts";
import type { Mutant } from "../../../test/mutants/mutant.ts";
import { submits, tampered } from "../../../test/mutants/tampering.ts";
import { slowWebhookMutants, webhookMutants } from "../../../test/mutants/webhooks/index.ts";
import { webhookChecks } from "./index.ts";

const hanging = "webhooks.receiver.ten-seconds";
const guarded = "webhooks.target.not-https";
const webhooks = { checks: webhookChecks, probes: webhookProbes };
// A receiver that hangs takes a second of the machine.
const quick = { ...webhooks, checks: webhookChecks.filter(({ id }) => id !== hanging) };

describe("the reference server", () => {
  test.each([
    ["default", "same"],
    ["alternate", "resigned"],
  ] as const)("keeps everything under profile %s", async (profile, body) => {
    const report = await runChecks(webhooks, { profile });
    expect(failed(report).why).toBe("");
    expect(skipped(report)).toEqual([guarded]);
    expect(report.profile.options).toEqual({ webhookBody: body });
  });

  const mixtures: MockOptions[] = [
    { options: { webhookBody: "resigned", timeFormat: "offset" } },
    { options: { webhookBody: "same", timeFormat: "naive", readLag: 800, sparseSubmit: true } },
    { options: { resultsOrigin: "other", refund: "failed", rateHeaders: "none" } },
    { latency: 0 },
    { latency: "20s", concurrency: 1, options: { reportQueued: true } },
  ];

  test.each(mixtures)("keeps everything with %j", async (options) => {
    const report = await runChecks(quick, options);
    expect(failed(report).why).toBe("");
    expect(report.profile.options["webhookBody"]).toBe(options.options?.webhookBody ?? "same");
  });

  test("that takes no address on its own machine leaves out what needs one", async () => {
    const report = await runChecks(quick, { allowPrivateWebhooks: false });
    expect(failed(report).why).toBe("");
    const kept = report.checks.filter(
      ({ id, status }) => id.startsWith("web") && status === "passed",
    );
    expect(kept.map(({ id }) => id)).toEqual(["webhooks.target.private", guarded]);
  });
});

/** Where webhooks may not go to the machine itself, they may go to public http. */
const insecure: Mutant = {
  name: "sends webhooks without TLS",
  section: "TryOnRequest",
  expected: [guarded],
  plant: (mock) =>
    tampered(mock, (call) =>
      submits(call) && String(call.body["webhook_url"]).startsWith("http://shop.")
        ? call.send({ body: { ...call.body, webhook_url: null } })
        : call.send(),
    ),
};

describe("a deployment that", () => {
  // The whole part is run against each in the full tests.
  test.each(webhookMutants)("$name is found out", async ({ plant, expected }) => {
    const { ids, why } = failed(await runChecks(related(quick, expected, 2), {}, plant));
    expect(ids, why).toEqual(expected);
  });

  test.each(slowWebhookMutants)("$name is found out", async ({ plant, expected }) => {
    const { ids, why } = failed(await runChecks(webhooks, {}, plant));
    expect(ids, why).toEqual(expected);
  });

  test("sends webhooks without TLS is found out", async () => {
    const { plant, expected } = insecure;
    const { ids, why } = failed(await runChecks(quick, { allowPrivateWebhooks: false }, plant));
    expect(ids, why).toEqual(expected);
  });

  test("breaks any check is among them", () => {
    const plants = [...webhookMutants, ...slowWebhookMutants, insecure];
    const bitten = new Set(plants.flatMap(({ expected }) => expected));
    const missing = webhookChecks.map(({ id }) => id).filter((id) => !bitten.has(id));
    expect(missing).toEqual([]);
  });
});
