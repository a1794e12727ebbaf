import { connectNodeRedis, connectPostgres, connectSqlite } from "@tryon/test-kit/store-clients";

import type { QuotaStore } from "../src/proxy/index.ts";
import { createPostgresQuotaStore } from "../src/stores/postgres.ts";
import { createRedisQuotaStore } from "../src/stores/redis.ts";
import { createSqliteQuotaStore } from "../src/stores/sqlite.ts";

export interface QuotaConnection {
  readonly store: QuotaStore;
  readonly close: () => Promise<unknown>;
}

/** Connects to the store of a URL: `redis://…`, `postgres://…` or the path of a SQLite file. */
export async function connectQuotaStore(url: string): Promise<QuotaConnection> {
  const createTable = true;
  if (url.startsWith("redis")) {
    const { client, close } = await connectNodeRedis(url);
    return { store: createRedisQuotaStore(client), close };
  }
  if (url.startsWith("postgres")) {
    const { client, close } = await connectPostgres(url);
    return { store: createPostgresQuotaStore(client, { createTable }), close };
  }
  const { client, close } = await connectSqlite(url);
  return { store: createSqliteQuotaStore(client, { createTable }), close };
}
