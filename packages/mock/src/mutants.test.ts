import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createMock, type Mock } from "./mock.ts";
import { Store, Tables } from "./store/store.ts";
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

/** Returns a method of a class, for a mutant that calls it. */
function methodOf<Class extends object, Name extends keyof Class>(
  prototype: Class,
  name: Name,
): Class[Name] {
  return prototype[name];
}

/** Charges again for each replay. */
function chargeReplays(): void {
  const transact = methodOf(Store.prototype, "transact");
  const mutant = vi.spyOn(Store.prototype, "transact").mockImplementation(function (
    this: Store,
    work,
  ) {
    return transact.call(this, (tables) => {
      const reads = vi.spyOn(tables.idempotency, "get");
      const result = work(tables);
      for (const { value: record } of reads.mock.results) {
        const job = record?.response && tables.jobs.get(record.jobId);
        if (!job) continue;
        const key = tables.keys.getOrThrow(job.keyId);
        tables.keys.put({ ...key, credits: key.credits - 8 });
        const charge = { keyId: key.id, credits: -8, at: 0, jobId: job.id };
        tables.ledger.put({ ...charge, cause: "tryon" });
      }
      reads.mockRestore();
      return result;
    });
  });
  onTestFinished(() => mutant.mockRestore());
}

/** Keeps the requests of a key for all minutes. */
function neverResetWindows(mock: Mock): void {
  const keyByToken = methodOf(Tables.prototype, "keyByToken");
  const mutant = vi.spyOn(Tables.prototype, "keyByToken").mockImplementation(function (
    this: Tables,
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
