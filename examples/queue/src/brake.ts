import type { Redis } from "ioredis";

import type { ItemQueue } from "./queue.ts";

/** How many refusals of content in a row stop the queue: more could suspend the key. */
const mostRefused = 3;

/** Counts refusals of content over all workers, and pauses the queue when there are too many. */
export function createBrake(
  redis: Redis,
  queue: ItemQueue,
): { press(): Promise<void>; release(): Promise<void> } {
  const key = queue.toKey("refused-in-a-row");
  const release = async (): Promise<void> => void (await redis.del(key));
  return {
    release,
    async press() {
      if ((await redis.incr(key)) < mostRefused) return;
      await queue.pause();
      await release();
    },
  };
}
