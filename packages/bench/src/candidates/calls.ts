import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { safeVerify } from "@tryon/webhooks";

import { benchKey, createEvent, signEvent, submission, webhookSecret } from "./fixtures.ts";
import type { Call } from "./time-in-turns.ts";

export const account = JSON.stringify({
  name: "bench",
  credits_remaining: 1_000,
  rate_limit_per_min: 10_000_000,
  total_calls: 1,
  tryon_cost_credits: { "1K": 8, "2K": 12, "4K": 20 },
});

const instantFetch = () =>
  Promise.resolve(new Response(account, { headers: { "content-type": "application/json" } }));

/** Creates a reference server and single calls of all packages in this process. */
export async function createCalls(clock?: "manual") {
  const mock = createMock({ seed: "bench", ...(clock && { clock }) });
  await mock.createKey(benchKey);
  const apiKey = benchKey.token;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const body = JSON.stringify(submission);
  const tryon = new TryOn({ apiKey, baseUrl: mock.baseUrl, fetch: mock.fetch });
  const instant = new TryOn({ apiKey, baseUrl: mock.baseUrl, fetch: instantFetch });
  const event = createEvent(300);
  const delivery = { "x-service-signature": signEvent(event) };
  return {
    "@tryon/mock: GET /api/v1/account": () =>
      expectOk(mock.fetch(`${mock.baseUrl}/api/v1/account`, { headers })),
    "@tryon/mock: POST /api/v1/tryon": () =>
      expectOk(mock.fetch(`${mock.baseUrl}/api/v1/tryon`, { method: "POST", headers, body })),
    "@tryon/client on @tryon/mock: account.get": () => tryon.account.get(),
    "@tryon/client on @tryon/mock: submit": () =>
      tryon.submit({ person: submission.person_url, garments: [...submission.garment_urls] }),
    "@tryon/client on an instant fetch: account.get": () => instant.account.get(),
    "instant fetch alone": async () => (await instantFetch()).json(),
    "@tryon/webhooks: safeVerify, 300 bytes": async () => {
      const outcome = await safeVerify({ body: event, headers: delivery, secrets: webhookSecret });
      if (!outcome.ok) throw new Error(outcome.message);
    },
  } satisfies Record<string, Call>;
}

async function expectOk(pending: Promise<Response>): Promise<void> {
  const response = await pending;
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`Got ${response.status} instead of 200.`);
}
