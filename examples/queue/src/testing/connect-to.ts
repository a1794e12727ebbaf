import { Redis } from "ioredis";

/** Connects as BullMQ requires: commands wait while Redis is unreachable. */
export function connectTo(url: string): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined);
  return redis;
}
