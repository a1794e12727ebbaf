import { expect, test } from "vitest";

import { webhookProbes } from "../../probes/index.ts";
import { foundIds, failures, runArea } from "../../../test/run-checks.ts";
import { publicWebhookMutants, webhookMutants } from "../../../test/mutants/webhooks/index.ts";
import { webhookChecks } from "../index.ts";

const webhooks = { checks: webhookChecks, probes: webhookProbes };

const all = [
  ...webhookMutants.map((mutant) => ({ ...mutant, options: {} })),
  ...publicWebhookMutants.map((mutant) => ({
    ...mutant,
    options: { allowPrivateWebhooks: false },
  })),
];

test.each(all)("finds only $expected for a server that $name", async (mutant) => {
  const report = await runArea(webhooks, mutant.options, mutant.plant);
  expect(foundIds(report), failures(report)).toEqual(mutant.expected.toSorted());
});

test("has a mutant for every check", () => {
  const caught = new Set(all.flatMap(({ expected }) => expected));
  expect(webhookChecks.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
});
