import { Redis } from "ioredis";

/** Connects to Redis as BullMQ requires: commands wait while it is unreachable. */
export function connect(url: string): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined);
  return redis;
}
