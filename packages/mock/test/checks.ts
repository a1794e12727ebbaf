import { createHmac } from "node:crypto";

import { expect } from "vitest";

import type { Mock } from "../src/mock.ts";
import { caller } from "./caller.ts";
import type { Received } from "./receiver.ts";

/** Checks that a submission repeated under its idempotency key gets the same response and costs nothing. */
export async function checkReplayChargesOnce(mock: Mock): Promise<void> {
  const call = caller(mock);
  const key = { "idempotency-key": "order-1" };
  const before = (await call.account()).body.credits_remaining;
  const first = await call.submit({ metadata: { order: 1 } }, key);
  const again = await call.submit({ metadata: { order: 1 } }, key);
  const { entries = [], balance } = (await mock.ledger(mock.keys.live)) ?? {};
  expect(
    entries.filter(({ cause }) => cause === "tryon"),
    "charges of a submission and its replay",
  ).toMatchObject([{ credits: -8, jobId: first.body.job_id }]);
  expect(balance, "balance after a submission and its replay").toBe(before - 8);
  expect(again.body, "response to the replay").toEqual(first.body);
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect((await call.list()).body.jobs, "jobs of both").toHaveLength(1);
}

/** Checks that requests over a key's rate limit are refused until the end of the minute. */
export async function checkRateWindowResets(mock: Mock): Promise<void> {
  const { token } = await mock.createKey({ rateLimitPerMinute: 2 });
  const call = caller(mock, token);
  const intoMinute = mock.clock.now() % 60_000;
  expect((await call.account()).status).toBe(200);
  expect((await call.submit()).status).toBe(200);
  const refused = await call.account();
  expect(refused.status, "a request over the limit").toBe(429);
  expect(refused.detail).toContain("2 requests a minute");
  expect((await call.submit()).status, "a submission over the limit").toBe(429);
  expect((await caller(mock).account()).status, "a request with another key").toBe(200);
  await mock.clock.advance(60_000 - intoMinute - 1);
  expect((await call.account()).status, "a request at the end of the minute").toBe(429);
  await mock.clock.advance(1);
  expect((await call.account()).status, "a request in the next minute").toBe(200);
}

/** Checks the signatures of an event that is sent with three retries, replayed and duplicated. */
export async function checkWebhooksCarrySignedBytes(
  mock: Mock,
  received: readonly Received[],
): Promise<void> {
  const { body } = await caller(mock).submit({ webhook_url: "https://shop.example/hook" });
  await mock.clock.advance("1h");
  const [delivery] = await mock.webhooks.deliveries(body.job_id);
  await mock.webhooks.replay(delivery?.id ?? "");
  await mock.webhooks.duplicate(delivery?.id ?? "");
  expect(received, "received events").toHaveLength(6);
  expect(
    received.map(({ bytes }) => signatureOf(bytes, mock.webhookSecret)),
    "signatures of the received bytes",
  ).toEqual(received.map(({ request }) => request.headers.get("x-service-signature")));
}

/** Returns the `X-Service-Signature` of the bytes. */
export function signatureOf(bytes: Uint8Array, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(bytes).digest("hex")}`;
}
