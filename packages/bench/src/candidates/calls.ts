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

/** Creates a reference server in this process, and a call that submits a job to it. */
export async function createSubmit(): Promise<Call> {
  const mock = createMock({ seed: "bench", clock: "manual" });
  await mock.createKey(benchKey);
  const [person_url, garment] = ["https://shop.example/me.jpg", "https://shop.example/shirt.png"];
  const body = JSON.stringify({ person_url, garment_urls: [garment], wait: false });
  return async () => {
    const url = `${mock.baseUrl}/api/v1/tryon`;
    const response = await mock.fetch(url, { method: "POST", headers, body });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`Got ${response.status} instead of 200.`);
  };
}
