import { createHmac } from "node:crypto";

import { createMock, type Mock } from "@tryon/mock";
import { expect, test } from "vitest";

import { webhookProbes } from "../../probes/billing.ts";
import { foundIds, failures, runAgainst, runArea } from "../../../test/run-checks.ts";
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

test("fails for webhooks signed with the secret of another key", async () => {
  const server = signWithLastSecret();
  const report = await runAgainst(server, ["webhooks.secret.of-key"]);
  expect(foundIds(report)).toEqual(["webhooks.secret.of-key"]);
  server.close();
});

test("has a mutant for every check", () => {
  const caught = new Set(all.flatMap(({ expected }) => expected));
  expect(webhookChecks.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
});

function signWithLastSecret(): Mock {
  let secret = "";
  const server = createMock({
    clock: "manual",
    sendWebhook: async (request) => {
      const body = await request.text();
      const signature = createHmac("sha256", secret).update(body).digest("hex");
      const headers = new Headers(request.headers);
      headers.set("x-service-signature", `sha256=${signature}`);
      return fetch(request.url, { method: "POST", headers, body });
    },
  });
  return {
    ...server,
    fetch: async (input, init) => {
      const response = await server.fetch(input, init);
      secret = /"webhook_secret":"(\w+)"/.exec(await response.clone().text())?.[1] ?? secret;
      return response;
    },
  };
}
