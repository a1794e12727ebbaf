import { isTryOnError, type TryOn, type TryOnResult } from "@tryon/client";
import { UnrecoverableError, WaitingError, Worker, type Job, type WorkerOptions } from "bullmq";
import type { Redis } from "ioredis";

import { classifyError, provesNoJob } from "./classify-error.ts";
import { limiterOptions } from "./limiter-options.ts";
import type { CompletedItem, ItemQueue, QueuedItem } from "./queue.ts";
import { runItem } from "./run-item.ts";

/** Blocked items in a row that stop the queue. The provider may suspend a key after more. */
const maxContentBlocked = 3;

export type ItemWorker = Worker<QueuedItem, CompletedItem>;

/** Options of `createWorker`, in addition to those of BullMQ. */
export interface ItemWorkerOptions extends Partial<Omit<WorkerOptions, "connection">> {
  readonly redis: Redis;
  readonly tryon: TryOn;
  /** Saves a result. It is called again for the same item if a worker crashes before it completes the item. */
  readonly save: (id: string, result: TryOnResult) => Promise<unknown>;
}

/** Time after which the rate limit is read again, in seconds. */
const rateLimitAge = 3_600;

/** Returns the rate limit of the account. Reads it once an hour for all workers: each read counts against it. */
async function readRateLimit(tryon: TryOn, redis: Redis, key: string): Promise<number> {
  const known = await redis.get(key);
  if (known !== null) return Number(known);
  const { rate_limit_per_min } = await tryon.account.get();
  await redis.set(key, rate_limit_per_min, "EX", rateLimitAge);
  return rate_limit_per_min;
}

/** Starts a worker. `close()` waits for its items, which takes at most ten minutes. */
export async function createWorker(
  queue: ItemQueue,
  { redis, tryon, save, ...options }: ItemWorkerOptions,
): Promise<ItemWorker> {
  const requestsPerMinute = await readRateLimit(tryon, redis, queue.toKey("requests-per-minute"));
  // Time until another worker takes over the items of a crashed worker. A running worker renews its locks.
  const { lockDuration = 30_000 } = options;
  const blockedCount = queue.toKey("content-blocked-in-a-row");

  const work = async (item: Job<QueuedItem, CompletedItem>, token = ""): Promise<CompletedItem> => {
    const { sentAt, apiKeyFingerprint } = item.data;
    const saveState = async (state: Partial<QueuedItem>): Promise<void> => {
      // Without the lock, another worker has the item. Then this worker must not write or send anything.
      if ((await item.extendLock(token, lockDuration)) !== 1) {
        throw new Error(`Another worker has taken over item ${item.data.id}.`);
      }
      await item.updateData({ ...item.data, ...state });
    };
    try {
      const result = await runItem(tryon, item, saveState);
      await save(item.data.id, result);
      await redis.del(blockedCount);
      return { jobId: result.job.id, credits: result.receipt.credits };
    } catch (error) {
      if (isTryOnError(error) && error.job) await saveState({ job: error.job.toJSON() });
      if (provesNoJob(error) && item.data.job === undefined) {
        // Some services keep the key of a request that they refuse, and would refuse it again.
        const newKey = sentAt === undefined && { idempotencyKey: crypto.randomUUID() };
        await saveState({ sentAt, apiKeyFingerprint, ...newKey });
      }
      if (isTryOnError(error, "job_failed") && error.isContentBlocked) await countBlocked();
      throw await handleError(error, item, token);
    }
  };

  const countBlocked = async (): Promise<void> => {
    if ((await redis.incr(blockedCount)) < maxContentBlocked) return;
    await queue.pause();
    await redis.del(blockedCount);
  };

  /** Delays or stops the queue if needed, and returns the error that BullMQ expects for the action. */
  const handleError = async (error: unknown, item: Job, token: string): Promise<unknown> => {
    switch (classifyError(error)) {
      case "fail":
        return new UnrecoverableError(String(error));
      case "wait": {
        const seconds = (isTryOnError(error) && error.retryAfter) || 1;
        await queue.rateLimit(Math.max(1, seconds) * 1_000);
        return Worker.RateLimitError();
      }
      case "stop":
        await queue.pause();
        worker.emit("error", new Error("The queue was stopped.", { cause: error }));
        await item.moveToWait(token);
        return new WaitingError();
      case "retry":
    }
    return error;
  };

  const worker: ItemWorker = new Worker(queue.name, work, {
    connection: redis,
    // A waiting item costs one connection. The limiter decides how many start.
    concurrency: 30,
    limiter: limiterOptions(requestsPerMinute),
    // A crash of the worker says nothing about the item.
    maxStalledCount: 1_000,
    ...options,
    lockDuration,
  });
  return worker;
}
