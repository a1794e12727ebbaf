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
 * The checks that other tests rely on, held against servers that are wrong in one way each. The wrong is put in from
 * outside: into the tables of the store, or between the server and the receiver of its webhooks.
 */

const refusalsAtFirst = (attempt: number): Response =>
  new Response(null, { status: attempt <= 3 ? 500 : 204 });

/** Changes a webhook on its way, given the number of its attempt. */
type Tampering = (body: string, attempt: number) => string;

function server(tampering: Tampering = (body) => body) {
  const hooks = receiver(refusalsAtFirst);
  let sent = 0;
  const mock = createMock({
    clock: "manual",
    seed: "bites",
    sendWebhook: async (request) => {
      sent += 1;
      const body = tampering(await request.clone().text(), sent);
      return hooks.send(new Request(request, { method: "POST", body }));
    },
  });
  onTestFinished(() => mock.close());
  return { mock, received: hooks.received };
}

/** A method of the tables as it is before anything is put in. */
function methodOf<Name extends keyof MemoryTables>(name: Name): MemoryTables[Name] {
  // What the prototype has under this name is typed by the class.
  return Reflect.get(MemoryTables.prototype, name) as MemoryTables[Name];
}

/** A store that takes the price once more whenever it is asked for a submission that it remembers. */
function chargeReplays(): void {
  const idempotency = methodOf("idempotency");
  const planted = vi.spyOn(MemoryTables.prototype, "idempotency").mockImplementation(function (
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
  onTestFinished(() => planted.mockRestore());
}

/** A store that takes every minute for the one in which a key was last used. */
function neverResetWindows(mock: Mock): void {
  const keyByToken = methodOf("keyByToken");
  const planted = vi.spyOn(MemoryTables.prototype, "keyByToken").mockImplementation(function (
    this: MemoryTables,
    token,
  ) {
    const record = keyByToken.call(this, token);
    return record && { ...record, window: Math.floor(mock.clock.now() / 60_000) };
  });
  onTestFinished(() => planted.mockRestore());
}

function spaced(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 1);
}

function reordered(body: string): string {
  const event: object = JSON.parse(body) as object;
  return JSON.stringify(Object.fromEntries(Object.entries(event).toReversed()));
}

describe("the check of idempotent replays", () => {
  test("passes on the server as it is", async () => {
    await expect(checkReplayChargesOnce(server().mock)).resolves.toBeUndefined();
  });

  test("fails on a server that charges a replay once more", async () => {
    const { mock } = server();
    chargeReplays();
    await expect(checkReplayChargesOnce(mock)).rejects.toThrow(
      "what was taken for a submission and its replay",
    );
  });
});

describe("the check of the rate limit's window", () => {
  test("passes on the server as it is", async () => {
    await expect(checkRateWindowResets(server().mock)).resolves.toBeUndefined();
  });

  test("fails on a server whose window never resets", async () => {
    const { mock } = server();
    neverResetWindows(mock);
    await expect(checkRateWindowResets(mock)).rejects.toThrow(
      "a call in the next minute: expected 429 to be 200",
    );
  });
});

describe("the check of the bytes of webhooks", () => {
  test("passes on the server as it is", async () => {
    const { mock, received } = server();
    await expect(checkWebhooksCarrySignedBytes(mock, received)).resolves.toBeUndefined();
  });

  test.each<[string, Tampering]>([
    ["writes every body with other spacing", spaced],
    ["writes every body in another order", reordered],
    ["writes retries anew", (body, attempt) => (attempt > 1 ? spaced(body) : body)],
    ["writes what is replayed anew", (body, attempt) => (attempt === 5 ? reordered(body) : body)],
    ["writes what is duplicated anew", (body, attempt) => (attempt === 6 ? spaced(body) : body)],
  ])("fails on a server that, after signing, %s", async (_deviation, tampering) => {
    const { mock, received } = server(tampering);
    await expect(checkWebhooksCarrySignedBytes(mock, received)).rejects.toThrow(
      "the signatures of the bytes that came",
    );
  });
});
