import { createMock, type Mock } from "@tryon/mock";
import { beforeEach, describe, expect, it } from "vitest";

import { submit as submitTo } from "../../test/end-to-end/submit.ts";

import {
  createMemoryStore,
  createReceiver,
  type Receiver,
  type TryOnCompletedEvent,
} from "../index.ts";
import { reconcile, type ListedJob, type ReconcileOptions } from "./reconcile.ts";

const hook = "https://shop.example/webhooks/tryon";

let mock: Mock;
let receiver: Receiver;
/** Events that the handler got. */
let handled: TryOnCompletedEvent[];
/** If true, no delivery reaches the receiver. */
let isDown: boolean;
let failing: ReadonlySet<string>;
/** Receives each delivery while the receiver is down. */
let lost: Request[];

beforeEach(() => {
  [handled, isDown, failing, lost] = [[], false, new Set(), []];
  mock = createMock({
    clock: "manual",
    latency: "10s",
    sendWebhook: async (request) => {
      if (!isDown) return receiver(request);
      lost.push(request.clone());
      throw new TypeError("fetch failed");
    },
  });
  receiver = createTestReceiver();
});

function createTestReceiver(store = createMemoryStore({ clock: mock.clock })): Receiver {
  return createReceiver({
    secrets: mock.webhookSecret,
    clock: mock.clock,
    store,
    onError: () => undefined,
    onCompleted: (event) => {
      if (failing.has(event.job_id)) throw new Error("The database is down.");
      handled.push(event);
    },
  });
}

const headers = () => ({ authorization: `Bearer ${mock.keys.live}` });

const submit = () => submitTo(mock, mock.keys.live, hook);

/** Client that lists the jobs of the mock, two on a page. */
const client = {
  jobs: {
    async *list(): AsyncGenerator<ListedJob> {
      for (let cursor: string | null = ""; cursor !== null;) {
        const path = `${mock.baseUrl}/api/v1/tryon?limit=2${cursor && `&cursor=${cursor}`}`;
        const page = await mock.fetch(path, { headers: headers() });
        const { jobs, next_cursor } = (await page.json()) as {
          jobs: ({ job_id: string } & ListedJob["data"])[];
          next_cursor: string | null;
        };
        for (const data of jobs) yield { id: data.job_id, data };
        cursor = next_cursor;
      }
    },
  },
};

const start = new Date(Date.UTC(2026, 0, 1));
const run = (since: Date | string = start, own: Partial<ReconcileOptions> = {}) =>
  reconcile(client, { receiver, since, ...own });
const ids = () => handled.map((event) => event.job_id);

describe("reconcile", () => {
  it("handles each event that was lost, once, with the fields that a delivery has", async () => {
    const delivered = await submit();
    await mock.clock.advance("20s");
    isDown = true;
    const missed = [await submit(), await submit(), await submit()];
    await mock.clock.advance("2m");
    expect(ids()).toEqual([delivered]);
    expect(await run()).toMatchObject({ handled: 4, failed: 0, running: 0 });
    expect(ids().toSorted()).toEqual([delivered, ...missed].toSorted());
    const [request] = lost;
    const sent = (await request?.json()) as TryOnCompletedEvent;
    const same = handled.find((event) => event.job_id === sent.job_id);
    // The service signs the URL again for each response.
    expect({ ...same, result_url: "" }).toEqual({ ...sent, result_url: "" });
    expect(await run()).toMatchObject({ handled: 4 });
    expect(handled).toHaveLength(4);
  });

  it("handles an event once if its delivery arrives at the same time", async () => {
    isDown = true;
    await submit();
    await mock.clock.advance("11s");
    const late = lost[0]?.clone();
    // The one that comes second can wait for the other, by the clock.
    const both = Promise.all([run(), receiver(late ?? new Request(hook))]);
    const results = await mock.clock.runUntil(both);
    expect(handled).toHaveLength(1);
    expect(results[1].status).toBe(204);
    expect((await receiver(lost[0] ?? new Request(hook))).status).toBe(204);
    expect(handled).toHaveLength(1);
  });

  it("passes failed jobs with their reason", async () => {
    isDown = true;
    mock.nextJob({ outcome: "content_blocked" });
    await submit();
    await mock.clock.advance("2m");
    await run();
    expect(handled).toMatchObject([{ status: "failed", error_message: "content_blocked" }]);
  });

  it("continues after a handler that fails, and does not pass its job with the cursor", async () => {
    isDown = true;
    const [first, second] = [await submit(), await submit()];
    await mock.clock.advance("10m");
    const third = await submit();
    await mock.clock.advance("10m");
    failing = new Set([first]);
    const { cursor, ...counts } = await run();
    expect(counts).toEqual({ handled: 2, recovered: 2, failed: 1, running: 0, leftBehind: [] });
    expect(ids().toSorted()).toEqual([second, third].toSorted());
    failing = new Set();
    expect(await run(cursor)).toMatchObject({ failed: 0 });
    expect(ids()).toHaveLength(3);
  });

  it("waits with the cursor for a job that runs, also over a restart", async () => {
    isDown = true;
    mock.nextJob({ durationMs: 3_600_000 });
    const slow = await submit();
    await mock.clock.advance("5m");
    const fast = await submit();
    await mock.clock.advance("5m");
    const before = await run();
    expect(before).toMatchObject({ handled: 1, running: 1, cursor: start.toISOString() });
    await mock.clock.advance("2h");
    const after = await run(before.cursor);
    expect(ids()).toEqual([fast, slow]);
    expect(Date.parse(after.cursor)).toBe(start.getTime() + 5 * 60_000 - 60_000);
    await run(after.cursor);
    expect(handled).toHaveLength(2);
  });

  it("reads no further than since, and skips jobs that the filter rejects", async () => {
    isDown = true;
    await submit();
    await mock.clock.advance("10m");
    const since = new Date(mock.clock.now());
    const [, wanted] = [await submit(), await submit()];
    await mock.clock.advance("2m");
    const result = await run(since, { filter: ({ id }) => id === wanted });
    expect(result).toMatchObject({ handled: 1 });
    expect(ids()).toEqual([wanted]);
  });

  it("handles each event once in any order of losses, deliveries and runs", async () => {
    let cursor = start.toISOString();
    const submitted: string[] = [];
    for (let step = 0; step < 60; step += 1) {
      isDown = (step * 7) % 5 < 3;
      if (step % 2 === 0) submitted.push(await submit());
      failing = new Set(step % 9 === 0 ? submitted.slice(-3) : []);
      await mock.clock.advance(`${(step * 13) % 40}s`);
      if (step % 4 === 3) ({ cursor } = await run(cursor));
    }
    [isDown, failing] = [true, new Set()];
    await mock.clock.advance("5m");
    await run(cursor);
    expect(ids().toSorted()).toEqual(submitted.toSorted());
  });

  it.each<[string, () => Partial<ReconcileOptions> & object, string]>([
    [
      "a since that the receiver has forgotten",
      () => ({ since: new Date(Date.UTC(2025, 11, 20)) }),
      "since is longer ago than the receiver remembers",
    ],
    [
      "a since before 1970",
      () => ({ since: new Date(-1) }),
      "since is longer ago than the receiver remembers",
    ],
    [
      "a receiver without a store",
      () => ({ receiver: createReceiver({ secrets: "whsec_a", onCompleted: () => undefined }) }),
      "receiver has no store.",
    ],
  ])("rejects %s", async (_what, own, message) => {
    await expect(run(start, own())).rejects.toThrow(message);
    expect(handled).toEqual([]);
  });
});
