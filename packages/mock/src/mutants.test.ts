import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createMock, type Mock } from "./mock.ts";
import { MemoryTables } from "./store/memory-tables.ts";
import {
  checkRateWindowResets,
  checkReplayChargesOnce,
  checkWebhooksCarrySignedBytes,
} from "../test/checks.ts";
import { receiver } from "../test/receiver.ts";

/*
 * The checks of other tests fail on mutants: servers with one fault each, in the tables of the store or between the server
 * and the receiver of its webhooks. The tests of the service show that the checks pass without it.
 */

/** Changes the body of a webhook, given the number of its attempt. */
type Tampering = (body: string, attempt: number) => string;

function server(tampering: Tampering = (body) => body) {
  const hooks = receiver((attempt) => new Response(null, { status: attempt <= 3 ? 500 : 204 }));
  let sent = 0;
  const mock = createMock({
    clock: "manual",
    sendWebhook: async (request) => {
      sent += 1;
      const body = tampering(await request.clone().text(), sent);
      return hooks.send(new Request(request, { method: "POST", body }));
    },
  });
  onTestFinished(() => mock.close());
  return { mock, received: hooks.received };
}

/** Returns the original method of the tables. */
function methodOf<Name extends keyof MemoryTables>(name: Name): MemoryTables[Name] {
  // The class types its prototype.
  return Reflect.get(MemoryTables.prototype, name) as MemoryTables[Name];
}

/** Charges again for each replay. */
function chargeReplays(): void {
  const idempotency = methodOf("idempotency");
  const mutant = vi.spyOn(MemoryTables.prototype, "idempotency").mockImplementation(function (
    this: MemoryTables,
    keyId,
    idempotencyKey,
  ) {
    const record = idempotency.call(this, keyId, idempotencyKey);
    const key = this.key(keyId);
    if (!record?.response || key === undefined) return record;
    const { jobId } = record;
    this.putKey({ ...key, credits: key.credits - 8 });
    this.addLedgerEntry({ keyId, credits: -8, cause: "tryon", at: 0, jobId });
    return record;
  });
  onTestFinished(() => mutant.mockRestore());
}

/** Keeps the requests of a key for all minutes. */
function neverResetWindows(mock: Mock): void {
  const keyByToken = methodOf("keyByToken");
  const mutant = vi.spyOn(MemoryTables.prototype, "keyByToken").mockImplementation(function (
    this: MemoryTables,
    token,
  ) {
    const record = keyByToken.call(this, token);
    return record && { ...record, window: Math.floor(mock.clock.now() / 60_000) };
  });
  onTestFinished(() => mutant.mockRestore());
}

function spaced(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 1);
}

function reordered(body: string): string {
  const event: object = JSON.parse(body) as object;
  return JSON.stringify(Object.fromEntries(Object.entries(event).toReversed()));
}

test("the check of replays fails when a replay is charged", async () => {
  const { mock } = server();
  chargeReplays();
  await expect(checkReplayChargesOnce(mock)).rejects.toThrow("charges of a submission");
});

test("the check of the rate limit fails when its window never resets", async () => {
  const { mock } = server();
  neverResetWindows(mock);
  await expect(checkRateWindowResets(mock)).rejects.toThrow(
    "a request in the next minute: expected 429 to be 200",
  );
});

describe("the check of webhook signatures fails when the bytes change after signing", () => {
  test.each<[string, Tampering]>([
    ["by spaces", spaced],
    ["by the order of fields", reordered],
    ["in retries", (body, attempt) => (attempt > 1 ? spaced(body) : body)],
    ["in a replay", (body, attempt) => (attempt === 5 ? reordered(body) : body)],
    ["in a duplicate", (body, attempt) => (attempt === 6 ? spaced(body) : body)],
  ])("%s", async (_mutant, tampering) => {
    const { mock, received } = server(tampering);
    await expect(checkWebhooksCarrySignedBytes(mock, received)).rejects.toThrow(
      "signatures of the received bytes",
    );
  });
});
