import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { chargesOf } from "@tryon/test-kit/serve-mock";
import { startRedis, type StoreServer } from "@tryon/test-kit/store-servers";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { createQueue, enqueue, itemKey, type Item } from "../src/queue.ts";
import { createWorker } from "../src/create-worker.ts";
import { connect } from "./connect.ts";

const person = "https://shop.example/me.jpg";
const garments = ["https://shop.example/shirt.png"];

const itemsOf = (...ids: readonly string[]): Item[] =>
  ids.map((id) => ({ id, input: { person, garments } }));

const profiles = (await isInstalled("redis")) ? (["default", "alternate"] as const) : [];

describe.each(profiles)("workers of a queue, under the profile %s", (profile) => {
  let server: StoreServer;
  let redis: Redis;
  let queues = 0;
  beforeAll(async () => {
    server = await startRedis();
    redis = connect(server.url);
  }, 60_000);
  afterAll(async () => {
    redis.disconnect();
    await server.remove();
  });

  /** Creates a queue and a service, and functions for workers and checks. */
  function setUp() {
    const mock = createMock({ latency: 20, profile });
    const queue = createQueue(redis, `queue-${(queues += 1)}`);
    const saved: string[] = [];
    const errors: Error[] = [];
    const connectClient = (apiKey: string = mock.keys.live, onSubmit?: (key: string) => unknown) =>
      new TryOn({
        apiKey,
        baseUrl: mock.baseUrl,
        fetch: mock.fetch,
        retries: 0,
        middleware: async (request, next, { idempotencyKey }) => {
          if (idempotencyKey !== undefined) await onSubmit?.(idempotencyKey);
          return next(request);
        },
      });
    onTestFinished(async () => {
      await queue.close();
      mock.close();
    });
    return {
      mock,
      queue,
      saved,
      errors,
      connectClient,
      startWorker: async ({ tryon = connectClient(), concurrency = 3 } = {}) => {
        const worker = await createWorker(queue, {
          redis,
          tryon,
          concurrency,
          stalledInterval: 200,
          async save(id, { image }) {
            expect((await image.bytes()).length).toBeGreaterThan(0);
            saved.push(id);
          },
        });
        worker.on("error", (error) => errors.push(error));
        onTestFinished(() => worker.close());
      },
      expectCounts: (completed: number, failed = 0) =>
        expect.poll(() => queue.getJobCounts("completed", "failed")).toEqual({ completed, failed }),
      submissions: () => mock.journal.entries({ method: "POST", path: "/api/v1/tryon" }).length,
      charges: (apiKey?: string) => chargesOf(mock, apiKey),
      /** Adds an item as a worker leaves it that crashed an hour ago. */
      enqueueOldItem: async (): Promise<string> => {
        const key = itemKey("spring", "1");
        await enqueue(queue, "spring", itemsOf("1"));
        const item = await queue.getJob(key);
        await item?.updateData({ ...item.data, sentAt: Date.now() - 3_600_000 });
        return key;
      },
    };
  }

  it("charge each item once, even if it is enqueued several times", async () => {
    const { queue, saved, startWorker, expectCounts, charges, submissions } = setUp();
    const items = itemsOf("1", "2", "a:b", "ärmel");
    await Promise.all([enqueue(queue, "spring", items), enqueue(queue, "spring", items)]);
    await startWorker();
    await startWorker();
    await expectCounts(4);
    await enqueue(queue, "spring", items);
    await enqueue(queue, "autumn", itemsOf("1"));
    await expectCounts(5);
    expect(saved.toSorted()).toEqual(["1", "1", "2", "a:b", "ärmel"]);
    expect(await charges()).toEqual([-8, -8, -8, -8, -8]);
    expect(submissions()).toBe(5);
    const item = await queue.getJob(itemKey("spring", "1"));
    expect(item?.returnvalue).toEqual({ jobId: item?.data.job?.id, credits: 8 });
  });

  it("store the submission time and raise the priority before they send an item", async () => {
    const { queue, connectClient, startWorker, expectCounts } = setUp();
    const before = Date.now();
    const states: unknown[] = [];
    const tryon = connectClient(undefined, async (key) => {
      const { data, opts, priority } = (await queue.getJob(key)) ?? {};
      states.push({ sent: (data?.sentAt ?? 0) >= before, first: opts?.priority, now: priority });
    });
    await enqueue(queue, "spring", itemsOf("1"));
    await startWorker({ tryon });
    await expectCounts(1);
    expect(states).toEqual([{ sent: true, first: 1, now: 0 }]);
  });

  it("retry an item with a lost response before new items, and charge it once", async () => {
    const { mock, queue, connectClient, startWorker, expectCounts, charges } = setUp();
    const keys: string[] = [];
    const tryon = connectClient(undefined, (key) => keys.push(key));
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, reset: "after" });
    await enqueue(queue, "spring", itemsOf("1"));
    await startWorker({ tryon, concurrency: 1 });
    await expect.poll(() => queue.getDelayedCount()).toBe(1);
    await queue.pause();
    await enqueue(queue, "spring", itemsOf("2", "3"));
    await (await queue.getJob(itemKey("spring", "1")))?.promote();
    await queue.resume();
    await expectCounts(3);
    expect(keys).toEqual(["spring/1", "spring/1", "spring/2", "spring/3"]);
    expect(await charges()).toEqual([-8, -8, -8]);
  });

  it("leave an item to another worker that has taken it over", async () => {
    const { queue, saved, errors, connectClient, startWorker, expectCounts, charges } = setUp();
    let count = 0;
    const tryon = connectClient(undefined, async (key) => {
      count += 1;
      if (count === 1) await redis.set(`${queue.toKey(key)}:lock`, "another", "PX", 500);
    });
    await enqueue(queue, "spring", itemsOf("1"));
    await startWorker({ tryon });
    await expectCounts(1);
    expect(count).toBe(2);
    expect(saved).toEqual(["1"]);
    expect(errors.map(({ message }) => message).join()).toMatch(/lock|another worker/i);
    expect(await charges()).toEqual([-8]);
  });

  it("never get an item whose input changed under the same id", async () => {
    const { queue } = setUp();
    await enqueue(queue, "spring", itemsOf("1"));
    const changed = { id: "1", input: { person, garments, output_size: "4K" as const } };
    await expect(enqueue(queue, "spring", [changed])).rejects.toThrow(
      "Batch spring already has an item 1 with another input.",
    );
  });

  it("fail rejected items alone, without a charge or a retry", async () => {
    const { queue, startWorker, expectCounts, charges } = setUp();
    const invalid: Item[] = [
      { id: "no garment", input: { person, garments: [] } },
      { id: "private IP", input: { person: "https://10.0.0.1/me.jpg", garments } },
    ];
    await enqueue(queue, "spring", [...invalid, ...itemsOf("1")]);
    await startWorker();
    await expectCounts(1, 2);
    expect(await charges()).toEqual([-8]);
    for (const { id } of invalid) {
      const item = await queue.getJob(itemKey("spring", id));
      expect(item).toMatchObject({ attemptsMade: 1, data: { id } });
      expect(item?.data.sentAt).toBeUndefined();
    }
  });

  it("stop the queue after three blocked items in a row, and continue after resume", async () => {
    const { mock, queue, startWorker, expectCounts, submissions } = setUp();
    for (let count = 0; count < 3; count += 1) mock.nextJob({ outcome: "content_blocked" });
    await enqueue(queue, "spring", itemsOf("1", "2", "3", "4", "5"));
    await startWorker({ concurrency: 1 });
    await expect.poll(() => queue.isPaused()).toBe(true);
    await expectCounts(0, 3);
    expect(submissions()).toBe(3);
    await queue.resume();
    await expectCounts(2, 3);
  });

  it("do not stop the queue if an item succeeds between blocked ones", async () => {
    const { mock, queue, startWorker, expectCounts } = setUp();
    const blocked = "content_blocked";
    for (const outcome of [blocked, blocked, "succeeded", blocked] as const) {
      mock.nextJob({ outcome });
    }
    await enqueue(queue, "spring", itemsOf("1", "2", "3", "4", "5"));
    await startWorker({ concurrency: 1 });
    await expectCounts(2, 3);
    expect(await queue.isPaused()).toBe(false);
  });

  it("stop the queue without failed items if credits run out", async () => {
    const { mock, queue, errors, connectClient, startWorker, expectCounts, charges } = setUp();
    const { token } = await mock.createKey({ credits: 16, rateLimitPerMinute: 6_000 });
    const tryon = connectClient(token);
    await enqueue(queue, "spring", itemsOf("1", "2", "3", "4", "5"));
    await startWorker({ tryon });
    await expectCounts(2);
    await expect.poll(() => queue.isPaused()).toBe(true);
    await expect.poll(() => queue.getActiveCount()).toBe(0);
    expect(errors[0]).toMatchObject({ cause: { code: "insufficient_credits" } });
    // The error proves that no job exists, so the submission time is removed.
    const waiting = await queue.getJobs(["wait", "prioritized"]);
    expect(waiting.map(({ data }) => data.sentAt)).toEqual([undefined, undefined, undefined]);

    await tryon.credits.purchase({ pack_slug: "demo", shared_payment_granted_token: "spt_one" });
    await queue.resume();
    await expectCounts(5);
    expect(await charges(token)).toEqual([-8, -8, -8, -8, -8]);
  });

  it("all wait after a 429, without failed items", async () => {
    const { mock, queue, startWorker, submissions } = setUp();
    mock.faults.add({ on: "POST /api/v1/tryon", times: 1, status: 429, retryAfter: 90 });
    await enqueue(queue, "spring", itemsOf("1", "2"));
    await startWorker({ concurrency: 1 });
    await expect.poll(() => queue.getRateLimitTtl(1)).toBeGreaterThan(10_000);
    await expect.poll(() => queue.getActiveCount()).toBe(0);
    expect(submissions()).toBe(1);
    expect(await queue.getJobCounts("completed", "failed")).toEqual({ completed: 0, failed: 0 });
  });

  it("find the job of an old item by its key instead of submitting it again", async () => {
    const { queue, saved, connectClient, startWorker, expectCounts, submissions, enqueueOldItem } =
      setUp();
    const idempotencyKey = await enqueueOldItem();
    const tryon = connectClient();
    const { id } = await tryon.submit(
      { person, garments },
      { idempotencyKey, keyInMetadata: true },
    );
    // The list of an hour-old job is up to date.
    await expect.poll(() => tryon.jobs.list().toArray()).toHaveLength(1);
    await startWorker();
    await expectCounts(1);
    expect(saved).toEqual(["1"]);
    expect((await queue.getJob(idempotencyKey))?.returnvalue).toMatchObject({ jobId: id });
    expect(submissions()).toBe(1);
  });

  it("fail an old item without a job as unknown, and never submit it again", async () => {
    const { queue, startWorker, expectCounts, submissions, enqueueOldItem } = setUp();
    const key = await enqueueOldItem();
    await startWorker();
    await expectCounts(0, 1);
    expect((await queue.getJob(key))?.failedReason).toMatch(
      /^Unknown outcome \(list_too_short\): .* too long ago/,
    );
    expect(submissions()).toBe(0);
  });
});
