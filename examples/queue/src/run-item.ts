import { isTryOnError, type TryOn, type TryOnResult } from "@tryon/client";
import { UnrecoverableError, type Job } from "bullmq";

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
  const { input, job, idempotencyKey = item.id ?? "" } = item.data;
  if (job !== undefined) return tryon.jobs.resume(job).result({ timeout });
  const { sentAt = tryon.clock.now() } = item.data;
  const { apiKeyFingerprint = await tryon.apiKeyFingerprint() } = item.data;
  await save({ sentAt, apiKeyFingerprint });
  await item.changePriority({ priority: 0 });
  try {
    // A synchronous wait is one request per item, which is what the limiter counts. All attempts use it, because one
    // idempotency key allows only one body.
    const result = await tryon.run(input, {
      idempotencyKey,
      keyInMetadata: true,
      firstAttemptAt: sentAt,
      apiKeyFingerprint,
      sync: true,
      timeout,
    });
    await save({ job: result.job.toJSON() });
    return result;
  } catch (error) {
    const search = isTryOnError(error, "outcome_unknown") ? error.search : undefined;
    // Only after these, a later search can find more.
    if (search === undefined || search === "too_early" || search === "list_failed") throw error;
    throw new UnrecoverableError(
      `Unknown outcome (${search}): the item was submitted too long ago to retry, and the job list does not contain its key. Ask the provider, or enqueue it under a new id.`,
    );
  }
}
