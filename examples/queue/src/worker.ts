import { isTryOnError, type TryOn, type TryOnResult } from "@tryon/client";
import { UnrecoverableError, WaitingError, Worker, type Job, type WorkerOptions } from "bullmq";
import type { Redis } from "ioredis";

import { createBrake } from "./brake.ts";
import { pace } from "./pace.ts";
import type { DoneItem, ItemQueue, QueuedItem } from "./queue.ts";
import { render } from "./render.ts";
import { provesNothingHappened, verdictOn } from "./verdict.ts";

export type ItemWorker = Worker<QueuedItem, DoneItem>;

/** What a worker works with, besides BullMQ's own options. */
export interface WorkerParts extends Partial<Omit<WorkerOptions, "connection">> {
  readonly redis: Redis;
  readonly tryon: TryOn;
  /** Is given each result. It may come again for the same item, when a worker dies right after it. */
  readonly save: (id: string, result: TryOnResult) => Promise<unknown>;
}

/**
 * Starts a worker, one of any number. `close()` lets the items end that it is at, which takes two minutes mostly and ten at
 * most; a worker that is killed instead costs no more than time.
 */
export async function createWorker(
  queue: ItemQueue,
  { redis, tryon, save, ...options }: WorkerParts,
): Promise<ItemWorker> {
  const { rate_limit_per_min } = await tryon.account.get();
  // How long a dead worker keeps its items, in milliseconds. One that lives renews its locks, however long items take.
  const { lockDuration = 30_000 } = options;
  const brake = createBrake(redis, queue);

  const work = async (item: Job<QueuedItem, DoneItem>, token = ""): Promise<DoneItem> => {
    const { sentAt } = item.data;
    const keep = async (known: Partial<QueuedItem>): Promise<void> => {
      // Whoever has lost an item to another worker must not write over what that one knows, nor send anything.
      if ((await item.extendLock(token, lockDuration)) !== 1) {
        throw new Error(`Item ${item.data.id} is at another worker by now.`);
      }
      await item.updateData({ ...item.data, ...known });
    };
    try {
      const result = await render(tryon, item, keep);
      await save(item.data.id, result);
      await brake.release();
      return { jobId: result.job.id, credits: result.receipt.credits };
    } catch (error) {
      if (isTryOnError(error) && error.job) await keep({ job: error.job.toJSON() });
      if (provesNothingHappened(error) && item.data.job === undefined) await keep({ sentAt });
      if (isTryOnError(error, "job_failed") && error.isContentBlocked) await brake.press();
      throw await consequenceOf(error, item, token);
    }
  };

  /** Does what an error asks for, and gives what says to BullMQ where the item goes. */
  const consequenceOf = async (error: unknown, item: Job, token: string): Promise<unknown> => {
    switch (verdictOn(error)) {
      case "failed":
        return new UnrecoverableError(String(error));
      case "slower":
        await queue.rateLimit(Math.max(1, retryAfter(error)) * 1_000);
        return Worker.RateLimitError();
      case "stopped":
        await queue.pause();
        worker.emit("error", new Error("The queue was paused.", { cause: error }));
        await item.moveToWait(token);
        return new WaitingError();
      case "retried":
    }
    return error;
  };

  const worker: ItemWorker = new Worker(queue.name, work, {
    connection: redis,
    // To wait costs nothing but a connection; how many are begun is for the limiter to say.
    concurrency: 30,
    limiter: pace(rate_limit_per_min),
    // An item whose worker has died is as good as any other, however often that was.
    maxStalledCount: 1_000,
    ...options,
    lockDuration,
  });
  return worker;
}

function retryAfter(error: unknown): number {
  return (isTryOnError(error) && error.retryAfter) || 0;
}
