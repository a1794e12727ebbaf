import { expect, test } from "vitest";

import { createMock } from "./mock.ts";
import { caller } from "../test/caller.ts";
import { receiver } from "../test/receiver.ts";

test("idempotency keys, credits, webhook retries and a manual clock work together", async () => {
  const hooks = receiver((attempt) => new Response(null, { status: attempt < 4 ? 503 : 200 }));
  const mock = createMock({ clock: "manual", sendWebhook: hooks.send });
  hooks.watch(mock.clock);
  const { token } = await mock.createKey({ credits: 20 });
  const call = caller(mock, token);
  const start = mock.clock.now();

  // The response to a submission is lost; a retry under its key gets it for one charge.
  mock.faults.add({ on: "POST /api/v1/tryon", times: 1, reset: "after" });
  const key = { "idempotency-key": "order-1" };
  const fields = { output_size: "2K", webhook_url: "https://shop.example/hook" };
  await expect(call.submit(fields, key)).rejects.toThrow("fetch failed");
  const { body } = await call.submit(fields, key);
  expect(body).toMatchObject({ status: "running", credits_remaining: 8 });

  // The remaining credits are enough for one more 1K image.
  expect((await call.submit(fields)).status).toBe(402);
  expect((await call.submit({ output_size: "1K" })).body.credits_remaining).toBe(0);

  // The receiver accepts the event at the fourth attempt.
  await mock.clock.advance("1h");
  expect((await call.poll(body.job_id)).body.status).toBe("succeeded");
  expect(hooks.received.map(({ at }) => at - start)).toEqual([1_500, 2_500, 6_500, 22_500]);
  expect(await mock.webhooks.deliveries(body.job_id)).toMatchObject([{ state: "delivered" }]);
});
