import { createHmac } from "node:crypto";

import { expect } from "vitest";

import type { Mock } from "../src/mock.ts";
import { caller } from "./caller.ts";
import type { Received } from "./receiver.ts";

/** Sends a submission twice under one idempotency key: the second is answered as the first and costs nothing. */
export async function checkReplayChargesOnce(mock: Mock): Promise<void> {
  const call = caller(mock);
  const key = { "idempotency-key": "order-1" };
  const before = (await call.account()).body.credits_remaining;
  const first = await call.submit({ metadata: { order: 1 } }, key);
  const again = await call.submit({ metadata: { order: 1 } }, key);
  const { entries = [], balance } = (await mock.ledger(mock.keys.live)) ?? {};
  expect(
    entries.filter(({ cause }) => cause === "tryon"),
    "what was taken for a submission and its replay",
  ).toMatchObject([{ credits: -8, jobId: first.body.job_id }]);
  expect(balance, "the balance after a submission and its replay").toBe(before - 8);
  expect(again.body, "the answer to the replay").toEqual(first.body);
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect((await call.list()).body.jobs, "the jobs of both").toHaveLength(1);
}

/** Uses up a key's calls of a minute: every further one is refused until the minute is over, and only until then. */
export async function checkRateWindowResets(mock: Mock): Promise<void> {
  const { token } = await mock.createKey({ rateLimitPerMinute: 2 });
  const call = caller(mock, token);
  const intoMinute = mock.clock.now() % 60_000;
  expect((await call.account()).status).toBe(200);
  expect((await call.submit()).status).toBe(200);
  const refused = await call.account();
  expect(refused.status, "a call over the limit").toBe(429);
  expect(refused.detail).toContain("2 requests a minute");
  expect((await call.submit()).status, "a submission over the limit").toBe(429);
  expect((await caller(mock).account()).status, "a call with another key").toBe(200);
  await mock.clock.advance(60_000 - intoMinute - 1);
  expect((await call.account()).status, "a call at the end of the minute").toBe(429);
  await mock.clock.advance(1);
  expect((await call.account()).status, "a call in the next minute").toBe(200);
}

/** Lets an event be refused three times, then replayed and duplicated: the receiver can verify each of the six. */
export async function checkWebhooksCarrySignedBytes(
  mock: Mock,
  received: readonly Received[],
): Promise<void> {
  const { body } = await caller(mock).submit({ webhook_url: "https://shop.example/hook" });
  await mock.clock.advance("1h");
  const [delivery] = await mock.webhooks.deliveries(body.job_id);
  await mock.webhooks.replay(delivery?.id ?? "");
  await mock.webhooks.duplicate(delivery?.id ?? "");
  expect(received, "the events that came").toHaveLength(6);
  expect(
    received.map(({ bytes }) => signatureOf(bytes, mock.webhookSecret)),
    "the signatures of the bytes that came",
  ).toEqual(received.map(({ request }) => request.headers.get("x-service-signature")));
}

/** The value of `X-Service-Signature` that belongs to these bytes. */
export function signatureOf(bytes: Uint8Array, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
}
