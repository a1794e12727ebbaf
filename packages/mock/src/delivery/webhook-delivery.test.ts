import { describe, expect, test } from "vitest";

import type { Mock } from "../mock.ts";
import { caller } from "../../test/caller.ts";
import {
  signatureOf,
  withReceiver,
  type Received,
  type ReceiverResponse,
} from "../../test/receiver.ts";
import { covers } from "../../test/covers.ts";

const hook = "https://shop.example/hook?shop=1";

function seconds(received: readonly Received[]): readonly number[] {
  const start = received[0]?.at ?? 0;
  return received.map(({ at }) => (at - start) / 1_000);
}

async function states(mock: Mock, jobId: string): Promise<readonly string[]> {
  return (await mock.webhooks.deliveries(jobId)).map(({ state }) => state);
}

const failures: readonly (readonly [string, ReceiverResponse])[] = [
  ["300", () => new Response(null, { status: 300 })],
  ["a redirect", () => Response.redirect("https://shop.example/elsewhere", 307)],
  ["304", () => new Response(null, { status: 304 })],
  ["404", () => new Response("gone", { status: 404 })],
  ["500", () => new Response("oops", { status: 500 })],
  ["a broken connection", () => Promise.reject(new TypeError("fetch failed"))],
];

describe("the event of a finished job", () => {
  test("has a signature of its raw bytes and the event headers", async () => {
    covers("webhook.header.signature", "webhook.header.event", "webhook.header.job-id");
    const { mock, call, received } = withReceiver();
    const { body } = await call.submit({ webhook_url: hook, metadata: { name: "Zoë 👗" } });
    await mock.clock.advance("2s");
    expect(received).toHaveLength(1);
    const [event] = received;
    expect(event?.request.url).toBe(hook);
    expect(event?.request.method).toBe("POST");
    expect(event?.request.redirect).toBe("manual");
    expect(Object.fromEntries(event?.request.headers ?? [])).toMatchObject({
      "content-type": "application/json",
      "x-service-event": "tryon.completed",
      "x-service-job-id": body.job_id,
      "x-service-signature": signatureOf(event?.bytes ?? new Uint8Array(), mock.webhookSecret),
    });
  });

  test("is signed with the webhook secret of the submitting key", async () => {
    covers("auth.webhook-secret.signs");
    const { mock, received } = withReceiver();
    const key = await mock.createKey();
    await caller(mock, key.token).submit({ webhook_url: hook });
    await mock.clock.advance("2s");
    const signature = received[0]?.request.headers.get("x-service-signature");
    expect(key.webhookSecret).toMatch(/^whsec_/);
    expect(signature).toBe(signatureOf(received[0]?.bytes ?? new Uint8Array(), key.webhookSecret));
  });

  test("is sent for synchronous jobs and test keys, but only with a webhook URL", async () => {
    covers("test-key.all-endpoints");
    const { mock, call, received } = withReceiver();
    const request = call.submit({ wait: true, webhook_url: hook });
    const tested = await caller(mock, mock.keys.test).submit({ webhook_url: hook });
    await call.submit({ webhook_url: null });
    await call.submit({ webhook_url: "" });
    await mock.clock.advance("2s");
    const ids = received.map(({ body }) => body["job_id"]);
    expect(new Set(ids)).toEqual(new Set([(await request).body.job_id, tested.body.job_id]));
  });

  test("is not sent for a job that never ends", async () => {
    covers("webhook.sent.at-end");
    const { mock, call, received } = withReceiver();
    await call.submit({ webhook_url: hook, prompt: "mock:never" });
    await mock.clock.advance("30d");
    expect(received).toEqual([]);
  });
});

describe("the attempts of a delivery", () => {
  test.each(failures)(
    "come after 1, 4 and 16 s while the receiver responds with %s",
    async (_name, answer) => {
      covers("webhook.retry.schedule", "webhook.delivery.best-effort");
      const { mock, call, received } = withReceiver(answer);
      const { body } = await call.submit({ webhook_url: hook });
      await mock.clock.advance("1h");
      expect(seconds(received)).toEqual([0, 1, 5, 21]);
      const [delivery] = await mock.webhooks.deliveries(body.job_id);
      expect(delivery?.state).toBe("given-up");
      expect(delivery?.attempts.map(({ at }) => at)).toEqual(received.map(({ at }) => at));
      expect(received.every(({ request }) => request.url === hook)).toBe(true);
    },
  );

  test.each([200, 201, 202, 204, 299])("end with the status %i", async (status) => {
    covers("webhook.receiver.any-2xx");
    const { mock, call, received } = withReceiver(() => new Response(null, { status }));
    const { body } = await call.submit({ webhook_url: hook });
    await mock.clock.advance("1h");
    expect(received).toHaveLength(1);
    expect(await mock.webhooks.deliveries(body.job_id)).toMatchObject([
      { state: "delivered", jobId: body.job_id, url: hook, attempts: [{ status, error: null }] },
    ]);
  });

  test("end with the first success", async () => {
    const { mock, call, received } = withReceiver(
      (attempt) => new Response(null, { status: attempt < 3 ? 503 : 200 }),
    );
    const { body } = await call.submit({ webhook_url: hook });
    await mock.clock.advance("3s");
    expect(await states(mock, body.job_id)).toEqual(["pending"]);
    await mock.clock.advance("1h");
    expect(seconds(received)).toEqual([0, 1, 5]);
    expect(await states(mock, body.job_id)).toEqual(["delivered"]);
  });

  test("time out after 10 s, when the next delay begins", async () => {
    covers("webhook.receiver.within-ten-seconds");
    const { mock, call, received } = withReceiver((attempt) =>
      attempt === 1 ? new Promise<Response>(() => undefined) : new Response(null, { status: 200 }),
    );
    const { body } = await call.submit({ webhook_url: hook });
    await mock.clock.advance("1h");
    expect(seconds(received)).toEqual([0, 11]);
    expect(received[0]?.request.signal.aborted).toBe(true);
    expect(await mock.webhooks.deliveries(body.job_id)).toMatchObject([
      { attempts: [{ status: null, durationMs: 10_000 }, { status: 200 }] },
    ]);
  });

  test("end with a success whose body was already read", async () => {
    const { mock, call, received } = withReceiver(async () => {
      const response = new Response("ok");
      await response.text();
      return response;
    });
    await call.submit({ webhook_url: hook });
    await mock.clock.advance("1h");
    expect(received).toHaveLength(1);
  });

  test("end when the server is closed", async () => {
    const { mock, call, received } = withReceiver(() => new Response(null, { status: 500 }));
    await call.submit({ webhook_url: hook });
    await mock.clock.advance("2s");
    mock.close();
    await mock.clock.advance("1h");
    expect(received).toHaveLength(1);
    expect(mock.clock.pending).toBe(0);
  });

  test("abort when the server is closed", async () => {
    const { mock, call, received } = withReceiver(() => new Promise<Response>(() => undefined));
    await call.submit({ webhook_url: hook });
    const advanced = mock.clock.advance("2s");
    await expect.poll(() => received.length, { interval: 1 }).toBe(1);
    mock.close();
    await advanced;
    expect(received[0]?.request.signal.aborted).toBe(true);
    expect(mock.clock.pending).toBe(0);
  });
});

const failsThreeTimes: ReceiverResponse = (attempt) =>
  new Response(null, { status: attempt <= 3 ? 500 : 204 });
const failing = (): Response => new Response(null, { status: 500 });

describe("the bytes of the attempts", () => {
  test.each(["same", "resigned"] as const)(
    "match their signature with webhookBody %s",
    async (webhookBody) => {
      covers("webhook.signature.hmac");
      const { mock, call, received } = withReceiver(failsThreeTimes, { options: { webhookBody } });
      const { body } = await call.submit({ webhook_url: hook });
      await mock.clock.advance("1h");
      const [delivery] = await mock.webhooks.deliveries(body.job_id);
      await mock.webhooks.replay(delivery?.id ?? "");
      await mock.webhooks.duplicate(delivery?.id ?? "");
      expect(received).toHaveLength(6);
      expect(received.map(({ bytes }) => signatureOf(bytes, mock.webhookSecret))).toEqual(
        received.map(({ request }) => request.headers.get("x-service-signature")),
      );
    },
  );

  test.each([
    ["same", 1],
    ["resigned", 4],
  ] as const)("are of webhookBody %s: %i different bodies", async (webhookBody, count) => {
    covers("webhook.body.each-attempt");
    const { mock, call, received } = withReceiver(failing, { options: { webhookBody } });
    await call.submit({ webhook_url: hook });
    await mock.clock.advance("1h");
    const bodies = received.map(({ bytes }) => Buffer.from(bytes).toString("utf8"));
    const urls = received.map(({ body }) => body["result_url"]);
    expect([bodies.length, new Set(bodies).size, new Set(urls).size]).toEqual([4, count, count]);
  });
});
