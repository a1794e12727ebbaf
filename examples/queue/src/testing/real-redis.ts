import { Redis } from "ioredis";

import { startRedis } from "../../../webhook-stores/src/testing/redis-server.ts";
import { findServer, type StoreServer } from "../../../webhook-stores/src/testing/store-server.ts";

/** The program, or nothing where there is none and tests may be left out. */
export const redisProgram = await findServer("redis");

/** Starts a Redis of this test's own, which writes each change down before it answers. */
export function realRedis(): Promise<StoreServer> {
  return startRedis(redisProgram ?? "");
}

/** Connects as BullMQ wants it: commands wait for a Redis that is away. */
export function connectTo({ url }: Pick<StoreServer, "url">): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined);
  return redis;
}
