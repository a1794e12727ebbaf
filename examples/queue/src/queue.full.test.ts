import { TryOn, type TryOnResult } from "@tryon/client";
import { createMock, type Mock } from "@tryon/mock";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startRedis, type StoreServer } from "@tryon/test-kit/store-servers";
import { createQueue, enqueue, keyOf, type Item, type ItemQueue } from "./queue.ts";
import { connectTo } from "./testing/connect-to.ts";
import { createWorker } from "./worker.ts";

const person = "https://shop.example/me.jpg";
const garments = ["https://shop.example/shirt.png"];

function itemsNamed(...ids: readonly string[]): Item[] {
  return ids.map((id) => ({ id, input: { person, garments } }));
}

/** Puts an item into the queue as a worker leaves it that has died an hour ago. */
async function leave(queue: ItemQueue, id: string): Promise<string> {
  await enqueue(queue, "spring", itemsNamed(id));
  const item = await queue.getJob(keyOf("spring", id));
  await item?.updateData({ ...item.data, sentAt: Date.now() - 3_600_000 });
  return keyOf("spring", id);
}

function submissions(mock: Mock): number {
  return mock.journal.entries({ method: "POST", path: "/api/v1/tryon" }).length;
}

async function charges(mock: Mock, key: string = mock.keys.live): Promise<readonly number[]> {
  const { entries } = (await mock.ledger(key)) ?? { entries: [] };
  return entries.flatMap(({ jobId, credits }) => (jobId === undefined ? [] : [credits]));
}

async function done(queue: ItemQueue, completed: number, failed = 0): Promise<void> {
  await expect.poll(() => queue.getJobCounts("completed", "failed")).toEqual({ completed, failed });
}

const profiles = (await isInstalled("redis")) ? (["default", "contrary"] as const) : [];

describe.each(profiles)("under the profile %s, items in a queue", (profile) => {
  let server: StoreServer;
  let redis: Redis;
  let queues = 0;
  beforeAll(async () => {
    server = await startRedis();
    redis = connectTo(server.url);
  }, 60_000);
  afterAll(async () => {
    redis.disconnect();
    await server.remove();
  });

  /** A queue and a service of a test's own, and workers in this process. */
  function setUp() {
    const mock = createMock({ latency: 20, profile });
    const queue = createQueue(redis, `queue-${(queues += 1)}`);
    const saved: string[] = [];
    const errors: Error[] = [];
    const arrived: ((key: string) => Promise<unknown>)[] = [];
    onTestFinished(async () => {
      await queue.close();
      mock.close();
    });
    return {
      mock,
      queue,
      saved,
      errors,
      /** Each is called with the key of each submission before the service is. */
      arrived,
      work: async (apiKey: string = mock.keys.live, parallel = 3) => {
        const tryon = new TryOn({
          apiKey,
          baseUrl: mock.baseUrl,
          fetch: mock.fetch,
          retries: 0,
          middleware: async (request, next, { idempotencyKey }) => {
            for (const tell of arrived) if (idempotencyKey) await tell(idempotencyKey);
            return next(request);
          },
        });
        const worker = await createWorker(queue, {
          redis,
          tryon,
          save: async (id: string, { image }: TryOnResult) => {
            expect((await image.bytes()).length).toBeGreaterThan(0);
            saved.push(id);
          },
          concurrency: parallel,
          stalledInterval: 200,
        });
        worker.on("error", (error) => errors.push(error));
        onTestFinished(() => worker.close());
        return worker;
      },
    };
  }

  it("are made and paid once each, however often they are put in", async () => {
    const { mock, queue, saved, work } = setUp();
    const items = itemsNamed("1", "2", "a:b", "ärmel");
    await Promise.all([enqueue(queue, "spring", items), enqueue(queue, "spring", items)]);
    await work();
    await work();
    await done(queue, 4);
    await enqueue(queue, "spring", items);
    await enqueue(queue, "autumn", itemsNamed("1"));
    await done(queue, 5);
    expect(saved.toSorted()).toEqual(["1", "1", "2", "a:b", "ärmel"]);
    expect(await charges(mock)).toEqual([-8, -8, -8, -8, -8]);
    expect(submissions(mock)).toBe(5);
    const one = await queue.getJob(keyOf("spring", "1"));
    expect(one?.returnvalue).toEqual({ jobId: one?.data.job?.id, credits: 8 });
  });

  it("are noted before they are sent", async () => {
    const { queue, arrived, work } = setUp();
    const before = Date.now();
    const notes: unknown[] = [];
    arrived.push(async (key) => {
      const { data, opts, priority } = (await queue.getJob(key)) ?? {};
      notes.push({ sent: (data?.sentAt ?? 0) >= before, first: opts?.priority, now: priority });
    });
    await enqueue(queue, "spring", itemsNamed("1"));
    await work();
    await done(queue, 1);
    expect(notes).toEqual([{ sent: true, first: 1, now: 0 }]);
  });

  it("whose answer was lost go before all that were not sent yet, and are paid once", async () => {
    const { mock, queue, arrived, work } = setUp();
    const keys: string[] = [];
    arrived.push(async (key) => keys.push(key));
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, reset: "after" });
    await enqueue(queue, "spring", itemsNamed("1"));
    await work(mock.keys.live, 1);
    await expect.poll(() => queue.getDelayedCount()).toBe(1);
    await queue.pause();
    await enqueue(queue, "spring", itemsNamed("2", "3"));
    await (await queue.getJob(keyOf("spring", "1")))?.promote();
    await queue.resume();
    await done(queue, 3);
    expect(keys).toEqual(["spring/1", "spring/1", "spring/2", "spring/3"]);
    expect(await charges(mock)).toEqual([-8, -8, -8]);
  });

  it("that a worker has lost to another are left to that one", async () => {
    const { mock, queue, saved, errors, arrived, work } = setUp();
    let count = 0;
    arrived.push(async (key) => {
      count += 1;
      if (count === 1) await redis.set(`${queue.toKey(key)}:lock`, "another", "PX", 500);
    });
    await enqueue(queue, "spring", itemsNamed("1"));
    await work();
    await done(queue, 1);
    expect(count).toBe(2);
    expect(saved).toEqual(["1"]);
    expect(errors.map(({ message }) => message).join()).toMatch(/lock|another worker/i);
    expect(await charges(mock)).toEqual([-8]);
  });

  it("may not change under the same id", async () => {
    const { queue } = setUp();
    await enqueue(queue, "spring", itemsNamed("1"));
    const changed = { id: "1", input: { person, garments, output_size: "4K" as const } };
    await expect(enqueue(queue, "spring", [changed])).rejects.toThrow(
      "Item 1 of batch spring is in the queue with another input.",
    );
  });

  it("that the service refuses fail alone, unpaid, and are not tried again", async () => {
    const { mock, queue, work } = setUp();
    const wrong: Item[] = [
      { id: "no garment", input: { person, garments: [] } },
      { id: "blocked", input: { person: "https://10.0.0.1/me.jpg", garments } },
    ];
    await enqueue(queue, "spring", [...wrong, ...itemsNamed("1")]);
    await work();
    await done(queue, 1, 2);
    expect(await charges(mock)).toEqual([-8]);
    for (const { id } of wrong) {
      const item = await queue.getJob(keyOf("spring", id));
      expect(item).toMatchObject({ attemptsMade: 1, data: { id } });
      expect(item?.data.sentAt).toBeUndefined();
    }
  });

  it("are held back after three refusals of content in a row, and go on when somebody says so", async () => {
    const { mock, queue, work } = setUp();
    for (let time = 0; time < 3; time += 1) mock.nextJob({ outcome: "content_blocked" });
    await enqueue(queue, "spring", itemsNamed("1", "2", "3", "4", "5"));
    await work(mock.keys.live, 1);
    await expect.poll(() => queue.isPaused()).toBe(true);
    await done(queue, 0, 3);
    expect(submissions(mock)).toBe(3);
    await queue.resume();
    await done(queue, 2, 3);
  });

  it("are not held back when a good one comes between", async () => {
    const { mock, queue, work } = setUp();
    const outcomes = [
      "content_blocked",
      "content_blocked",
      "succeeded",
      "content_blocked",
    ] as const;
    for (const outcome of outcomes) mock.nextJob({ outcome });
    await enqueue(queue, "spring", itemsNamed("1", "2", "3", "4", "5"));
    await work(mock.keys.live, 1);
    await done(queue, 2, 3);
    expect(await queue.isPaused()).toBe(false);
  });

  it("wait for credits without failing, for as long as it takes", async () => {
    const { mock, queue, errors, work } = setUp();
    const { token } = await mock.createKey({ credits: 16, rateLimitPerMinute: 6_000 });
    await enqueue(queue, "spring", itemsNamed("1", "2", "3", "4", "5"));
    await work(token);
    await done(queue, 2);
    await expect.poll(() => queue.isPaused()).toBe(true);
    await expect.poll(() => queue.getActiveCount()).toBe(0);
    expect(errors[0]).toMatchObject({ cause: { code: "insufficient_credits" } });
    // Proof that nothing happened: their time begins when they are sent again.
    const waiting = await queue.getJobs(["wait", "prioritized"]);
    expect(waiting.map(({ data }) => data.sentAt)).toEqual([undefined, undefined, undefined]);

    const buyer = new TryOn({ apiKey: token, baseUrl: mock.baseUrl, fetch: mock.fetch });
    await buyer.credits.purchase({ pack_slug: "demo", shared_payment_granted_token: "spt_one" });
    await queue.resume();
    await done(queue, 5);
    expect(await charges(mock, token)).toEqual([-8, -8, -8, -8, -8]);
  });

  it("all wait when the service asks one of them to, and none fails", async () => {
    const { mock, queue, work } = setUp();
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 429, retryAfter: 90 });
    await enqueue(queue, "spring", itemsNamed("1", "2"));
    await work(mock.keys.live, 1);
    await expect.poll(() => queue.getRateLimitTtl(1)).toBeGreaterThan(10_000);
    await expect.poll(() => queue.getActiveCount()).toBe(0);
    expect(submissions(mock)).toBe(1);
    expect(await queue.getJobCounts("completed", "failed")).toEqual({ completed: 0, failed: 0 });
  });

  describe("that were sent long ago by a worker that died", () => {
    it("are not sent again but found by their mark", async () => {
      const { mock, queue, saved, work } = setUp();
      const idempotencyKey = await leave(queue, "1");
      const tryon = new TryOn({ apiKey: mock.keys.live, baseUrl: mock.baseUrl, fetch: mock.fetch });
      const { id } = await tryon.submit(
        { person, garments },
        { idempotencyKey, keyInMetadata: true },
      );
      // It was made long ago, too: no service is so late that its list does not show it yet.
      await expect.poll(() => tryon.jobs.list().toArray()).toHaveLength(1);
      await work();
      await done(queue, 1);
      expect(saved).toEqual(["1"]);
      expect((await queue.getJob(idempotencyKey))?.returnvalue).toMatchObject({ jobId: id });
      expect(submissions(mock)).toBe(1);
    });

    it("are unknown when no job has their mark, and not sent again", async () => {
      const { mock, queue, work } = setUp();
      const key = await leave(queue, "1");
      await work();
      await done(queue, 0, 1);
      expect((await queue.getJob(key))?.failedReason).toMatch(/^Unknown: it was sent too long ago/);
      expect(submissions(mock)).toBe(0);
    });
  });
});
