import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";

import { benchKey, jsonHeaders as headers } from "./fixtures.ts";
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

/** Creates a reference server and single calls of both packages in this process. */
export async function createCalls(clock: "manual" | "real" = "real") {
  const mock = createMock({ seed: "bench", clock });
  await mock.createKey(benchKey);
  const request = async (path: string, init: RequestInit = {}): Promise<void> => {
    const response = await mock.fetch(`${mock.baseUrl}/api/v1/${path}`, { ...init, headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`Got ${response.status} instead of 200.`);
  };
  const [person, garment] = ["https://shop.example/me.jpg", "https://shop.example/shirt.png"];
  const body = JSON.stringify({ person_url: person, garment_urls: [garment], wait: false });
  const options = { apiKey: benchKey.token, baseUrl: mock.baseUrl };
  const tryon = new TryOn({ ...options, fetch: mock.fetch });
  const instant = new TryOn({ ...options, fetch: instantFetch });
  return {
    "@tryon/mock: GET /api/v1/account": () => request("account"),
    "@tryon/mock: POST /api/v1/tryon": () => request("tryon", { method: "POST", body }),
    "@tryon/client on @tryon/mock: account.get": () => tryon.account.get(),
    "@tryon/client on @tryon/mock: submit": () => tryon.submit({ person, garments: [garment] }),
    "@tryon/client on an instant fetch: account.get": () => instant.account.get(),
    "instant fetch alone": async () => (await instantFetch()).json(),
  } satisfies Record<string, Call>;
}
