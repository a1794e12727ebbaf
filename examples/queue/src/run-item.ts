import type { TryOn, TryOnResult } from "@tryon/client";
import { UnrecoverableError, type Job } from "bullmq";

import { findJobByKey } from "./find-job-by-key.ts";
import type { QueuedItem } from "./queue.ts";

/** Timeout of one attempt, in milliseconds. */
const timeout = 600_000;

/**
 * Makes the try-on of an item, or continues after a worker that crashed. Never submits a second try-on.
 *
 * @param save - Stores the state of the item in the queue.
 */
export async function runItem(
  tryon: TryOn,
  item: Job<QueuedItem>,
  save: (state: Partial<QueuedItem>) => Promise<void>,
): Promise<TryOnResult> {
  // `enqueue` has set the id.
  const { input, sentAt, job, idempotencyKey = item.id ?? "" } = item.data;
  if (job !== undefined) return tryon.jobs.resume(job).result({ timeout });
  const now = tryon.clock.now();
  // After the window, which an attempt must not exceed, the service may have forgotten the key.
  if (sentAt !== undefined && now + timeout > sentAt + tryon.idempotencyWindow) {
    const found = await findJobByKey(tryon, idempotencyKey, sentAt);
    if (found === undefined) {
      throw new UnrecoverableError(
        "Unknown outcome: the item was submitted too long ago to retry, and the job list does not contain its key. Ask the provider, or enqueue it under a new id.",
      );
    }
    await save({ job: found.toJSON() });
    return found.result({ timeout });
  }
  await save({ sentAt: sentAt ?? now });
  await item.changePriority({ priority: 0 });
  // A synchronous wait is one request per item, which is what the limiter counts. All attempts use it, because one
  // idempotency key allows only one body.
  const result = await tryon.run(input, {
    idempotencyKey,
    keyInMetadata: true,
    sync: true,
    timeout,
  });
  await save({ job: result.job.toJSON() });
  return result;
}
