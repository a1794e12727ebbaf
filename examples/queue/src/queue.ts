import type { SavedJob, TryOnInput } from "@tryon/client";
import { Queue } from "bullmq";
import type { Redis } from "ioredis";

/** A try-on to be made. What stands in Redis is text, so its images are https addresses. */
export interface Item {
  /** Names it within its batch. */
  readonly id: string;
  readonly input: TryOnInput & { readonly person: string; readonly garments: readonly string[] };
}

/** An item, and what has to outlive the worker that is at it. */
export interface QueuedItem extends Item {
  /** When it was first about to be sent, in milliseconds since 1970. */
  readonly sentAt?: number | undefined;
  /** The job, once it is known. */
  readonly job?: SavedJob | undefined;
}

/** What the queue keeps of an item that is done. */
export interface DoneItem {
  readonly jobId: string;
  readonly credits: number | undefined;
}

export type ItemQueue = Queue<QueuedItem, DoneItem>;

export function createQueue(connection: Redis, name = "try-ons"): ItemQueue {
  const defaultJobOptions = {
    attempts: 6,
    backoff: { type: "exponential", delay: 10_000, jitter: 0.5 },
    // What was sent has priority 0, which goes first: BullMQ puts what it retries behind all that waits, and that could be
    // for longer than the service remembers a key.
    priority: 1,
  };
  return new Queue(name, { connection, defaultJobOptions });
}

/**
 * Puts items into the queue. Those that are in it are left as they are, done or not, so that it may be called again.
 *
 * @throws Error for an id that was used for another input of this batch, and for one that is too long.
 */
export async function enqueue(
  queue: ItemQueue,
  batch: string,
  items: Iterable<Item> | AsyncIterable<Item>,
): Promise<void> {
  for await (const { id, input } of items) {
    const key = keyOf(batch, id);
    await queue.add("try-on", { id, input }, { jobId: key });
    const queued = await queue.getJob(key);
    if (JSON.stringify(queued?.data.input) !== JSON.stringify(input)) {
      throw new Error(
        `Item ${id} of batch ${batch} is in the queue with another input. Give a changed item another id.`,
      );
    }
  }
}

const longestKey = 200;

/** The id of an item in the queue, which is also its idempotency key: whoever submits it makes the same try-on. */
export function keyOf(batch: string, id: string): string {
  // Queue and service want different characters; between the two parts stands one that neither has any more.
  const key = `${encodeURIComponent(batch)}/${encodeURIComponent(id)}`;
  if (key.length <= longestKey) return key;
  throw new Error(
    `The names of item ${id} and batch ${batch} come to ${key.length} characters as ${key}. Shorten them to ${longestKey}.`,
  );
}
