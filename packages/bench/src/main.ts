import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { safeVerify, sign } from "@tryon/webhooks";
import { Bench } from "tinybench";

/** Enough credits and calls that no run meets a limit. */
const plenty = 1_000_000_000;

const mock = createMock({ seed: "bench" });
await mock.createKey({ token: "svc_live_bench", credits: plenty, rateLimitPerMinute: plenty });
const headers = { authorization: "Bearer svc_live_bench", "content-type": "application/json" };
const submission = JSON.stringify({
  person_url: "https://shop.example/me.jpg",
  garment_urls: ["https://shop.example/shirt.png"],
  wait: false,
});

const body = JSON.stringify({
  event: "tryon.completed",
  job_id: "job_4fK9sQ2mZx7LbT1cVw8RnE3y",
  status: "failed",
  result_url: null,
  error_code: "generation_failed",
  error_message: "content_blocked",
  duration_ms: 1_500,
  completed_at: "2026-01-01T00:00:00Z",
});
const secret = "whsec_bench";
const delivery = { "x-service-signature": await sign({ body, secret }) };

async function expectStatus(answer: Promise<Response>, status: number): Promise<void> {
  const response = await answer;
  await response.arrayBuffer();
  if (response.status !== status) throw new Error(`Got ${response.status} in place of ${status}.`);
}

const tryon = new TryOn({
  apiKey: "svc_live_bench",
  baseUrl: mock.baseUrl,
  fetch: mock.fetch,
});

const bench = new Bench({ time: 1_000, throws: true })
  .add("reference server in process: GET /api/v1/account", () =>
    expectStatus(mock.fetch(`${mock.baseUrl}/api/v1/account`, { headers }), 200),
  )
  .add("reference server in process: POST /api/v1/tryon, wait false", () =>
    expectStatus(
      mock.fetch(`${mock.baseUrl}/api/v1/tryon`, { method: "POST", headers, body: submission }),
      200,
    ),
  )
  .add("client on the reference server in process: account.get", async () => {
    await tryon.account.get();
  })
  .add("client on the reference server in process: submit", async () => {
    await tryon.submit({
      person: "https://shop.example/me.jpg",
      garments: ["https://shop.example/shirt.png"],
    });
  })
  .add("webhooks: safeVerify, an event of 250 bytes", async () => {
    const outcome = await safeVerify({ body, headers: delivery, secrets: secret });
    if (!outcome.ok) throw new Error(outcome.message);
  });

await bench.run();
process.stdout.write(
  bench.tasks
    .map(({ name, result }) => {
      if (result.state !== "completed") throw new Error(`${name} did not end.`);
      const { p50 } = result.latency;
      return `${(p50 * 1_000).toFixed(1).padStart(9)} µs median   ${name}\n`;
    })
    .join(""),
);
mock.close();
