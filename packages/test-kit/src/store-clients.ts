import { DatabaseSync } from "node:sqlite";

import { createClient } from "@redis/client";
import { Redis } from "ioredis";
import { Pool } from "pg";

/** Errors of idle connections, which the commands report too. */
const ignore = (): void => undefined;

/** Connects `@redis/client` to a server. Its commands fail while the server is stopped. */
export async function connectNodeRedis(url: string) {
  const client = createClient({ url, disableOfflineQueue: true });
  client.on("error", ignore);
  await client.connect();
  return { client, close: async () => client.destroy() };
}

/** Connects `ioredis` to a server. Its commands fail while the server is stopped. */
export async function connectIoRedis(url: string) {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    lazyConnect: true,
    maxRetriesPerRequest: 0,
  });
  client.on("error", ignore);
  await client.connect();
  return { client, close: async () => client.disconnect() };
}

export async function connectPostgres(url: string) {
  const timeouts = { connectionTimeoutMillis: 2_000, query_timeout: 2_000 };
  const client = new Pool({ connectionString: url, ...timeouts });
  client.on("error", ignore);
  return { client, close: () => client.end() };
}

/** Opens a SQLite file. A call waits up to 30 s while other processes write, since SQLite has no queue. */
export async function connectSqlite(file: string) {
  const client = new DatabaseSync(file, { timeout: 30_000 });
  return { client, close: async () => client.close() };
}
