// Submits try-ons to a reference server in this process, one after another, and prints how many it took a second.
import { createMock } from "@tryon/mock";

import { plentyKey, submission } from "../plenty.ts";

const warmUp = 20_000;
const counted = 20_000;

const mock = createMock({ seed: "bench", clock: "manual" });
await mock.createKey(plentyKey);
const headers = { authorization: `Bearer ${plentyKey.token}`, "content-type": "application/json" };
const body = JSON.stringify(submission);

async function submit(times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const response = await mock.fetch(`${mock.baseUrl}/api/v1/tryon`, {
      method: "POST",
      headers,
      body,
    });
    if (response.status !== 200) throw new Error(`Got ${response.status} in place of 200.`);
    await response.arrayBuffer();
  }
}

await submit(warmUp);
const begin = performance.now();
await submit(counted);
const perSecond = (counted / (performance.now() - begin)) * 1_000;
mock.close();
process.stdout.write(JSON.stringify({ perSecond }));
