import { expect, test } from "vitest";

import { webhookProbes } from "../../probes/webhooks.ts";
import { failedIds, failures, runArea } from "../../../test/run-checks.ts";
import type { Mutant } from "../../../test/mutants/mutant.ts";
import { submits, tampered } from "../../../test/mutants/tampering.ts";
import { slowWebhookMutants, webhookMutants } from "../../../test/mutants/webhooks/index.ts";
import { webhookChecks } from "./index.ts";

const guarded = "webhooks.target.not-https";
const webhooks = { checks: webhookChecks, probes: webhookProbes };

/** Mutant for a server that refuses webhooks to its own machine. */
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

const all = [
  ...[...webhookMutants, ...slowWebhookMutants].map((mutant) => ({ ...mutant, options: {} })),
  { ...insecure, options: { allowPrivateWebhooks: false } },
];

test.each(all)("fails only $expected for a server that $name", async (mutant) => {
  const report = await runArea(webhooks, mutant.options, mutant.plant);
  expect(failedIds(report), failures(report)).toEqual(mutant.expected.toSorted());
});

test("has a mutant for every check", () => {
  const caught = new Set(all.flatMap(({ expected }) => expected));
  expect(webhookChecks.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
});
