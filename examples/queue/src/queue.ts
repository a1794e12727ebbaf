import type { SavedJob, TryOnInput } from "@tryon/client";
import { Queue } from "bullmq";
import type { Redis } from "ioredis";

/** Input of a try-on. Redis stores text, so its images are https URLs. */
export interface Item {
  /** Id of the item, unique in its batch. */
  readonly id: string;
  readonly input: TryOnInput & { readonly person: string; readonly garments: readonly string[] };
}

/** Item with the state that outlives a crash of its worker. */
export interface QueuedItem extends Item {
  /** Time of the first submission, in milliseconds since 1970. */
  readonly sentAt?: number | undefined;
  /** Fingerprint of the API key of the first submission. */
  readonly apiKeyFingerprint?: string | undefined;
  /** Idempotency key after a refusal. Before that, the key is the id in the queue. */
  readonly idempotencyKey?: string;
  readonly job?: SavedJob | undefined;
}

/** Result that the queue stores for a completed item. */
export interface CompletedItem {
  readonly jobId: string;
  readonly credits: number | undefined;
}

export type ItemQueue = Queue<QueuedItem, CompletedItem>;

export function createQueue(connection: Redis, name = "try-ons"): ItemQueue {
  const defaultJobOptions = {
    attempts: 6,
    backoff: { type: "exponential", delay: 10_000, jitter: 0.5 },
    // Submitted items get priority 0, the highest. Otherwise a retry could wait behind new items until the service has
    // forgotten its idempotency key.
    priority: 1,
  };
  return new Queue(name, { connection, defaultJobOptions });
}

/**
 * Adds items to the queue. Items that are already in the queue, completed or not, stay unchanged.
 *
 * @throws Error if the batch has another input under this id, or if the id is too long.
 */
export async function enqueue(
  queue: ItemQueue,
  batch: string,
  items: Iterable<Item> | AsyncIterable<Item>,
): Promise<void> {
  for await (const { id, input } of items) {
    const key = itemKey(batch, id);
    await queue.add("try-on", { id, input }, { jobId: key });
    const queued = await queue.getJob(key);
    if (JSON.stringify(queued?.data.input) !== JSON.stringify(input)) {
      throw new Error(
        `Batch ${batch} already has an item ${id} with another input. Use a new id for the changed item.`,
      );
    }
  }
}

const maxKeyLength = 200;

/** Returns the id of an item in the queue, which is also its first idempotency key. */
export function itemKey(batch: string, id: string): string {
  // Escaping makes the slash unambiguous. BullMQ rejects colons, and the service rejects spaces.
  const key = `${encodeURIComponent(batch)}/${encodeURIComponent(id)}`;
  if (key.length <= maxKeyLength) return key;
  throw new Error(
    `The key of item ${id} in batch ${batch} has ${key.length} characters: ${key}. Shorten the names to ${maxKeyLength} characters in total.`,
  );
}
