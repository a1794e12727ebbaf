import type { TryOn, TryOnResult } from "@tryon/client";
import { UnrecoverableError, type Job } from "bullmq";

import { findMarked } from "./find-marked.ts";
import type { QueuedItem } from "./queue.ts";

/** How long one attempt may take, in milliseconds. */
const attemptFor = 600_000;
/**
 * How long after it was first sent an item may be sent again, in milliseconds: an attempt that begins then ends within 30
 * minutes, for which a service is sure to remember a key.
 */
const sentAgainFor = 1_200_000;

/** Makes the try-on of an item, or goes on with it where a worker before has left it, and never makes it twice. */
export async function render(
  tryon: TryOn,
  item: Job<QueuedItem>,
  keep: (known: Partial<QueuedItem>) => Promise<void>,
): Promise<TryOnResult> {
  const { input, sentAt, job } = item.data;
  if (job !== undefined) return tryon.jobs.resume(job).result({ timeout: attemptFor });
  // The id was given by `enqueue`.
  const idempotencyKey = item.id ?? "";
  const now = tryon.clock.now();
  if (sentAt !== undefined && now - sentAt > sentAgainFor) {
    const found = await findMarked(tryon, idempotencyKey, sentAt);
    if (found === undefined) {
      throw new UnrecoverableError(
        "Unknown: it was sent too long ago to be sent again, and the list does not show its mark. Ask the provider, or give it another id.",
      );
    }
    await keep({ job: found.toJSON() });
    return found.result({ timeout: attemptFor });
  }
  await keep({ sentAt: sentAt ?? now });
  await item.changePriority({ priority: 0 });
  // Held, since that is one request an item however many workers there are, and the limiter counts items. Always held,
  // since that is part of what is sent, and under one key only the same may be sent.
  const options = { idempotencyKey, keyInMetadata: true, sync: true, timeout: attemptFor };
  const result = await tryon.run(input, options);
  await keep({ job: result.job.toJSON() });
  return result;
}
