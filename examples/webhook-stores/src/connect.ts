import { DatabaseSync } from "node:sqlite";

import { createClient } from "@redis/client";
import type { ReceiverStore } from "@tryon/webhooks";
import { createPostgresStore } from "@tryon/webhooks/postgres";
import { createRedisStore } from "@tryon/webhooks/redis";
import { createSqliteStore, type TableStore } from "@tryon/webhooks/sqlite";
import { Pool } from "pg";

const hour = 3_600_000;

/** A store, and the function that closes its connection. */
export interface Connection {
  readonly store: ReceiverStore;
  close(): Promise<void>;
}

/** Logs errors of an idle connection to stderr. */
function report(error: Error): void {
  process.stderr.write(`The store: ${error.message}\n`);
}

/** Connects to the store of a URL: `redis://…`, `postgres://…`, or the path of a SQLite file. */
export async function connect(url: string): Promise<Connection> {
  if (url.startsWith("redis")) {
    const client = createClient({ url, disableOfflineQueue: true });
    client.on("error", report);
    await client.connect();
    return { store: createRedisStore(client), close: async () => client.destroy() };
  }
  if (url.startsWith("postgres")) {
    const timeouts = { connectionTimeoutMillis: 2_000, query_timeout: 2_000 };
    const pool = new Pool({ connectionString: url, ...timeouts });
    pool.on("error", report);
    const store = createPostgresStore(pool, { createTable: true });
    return { store: cleaned(store), close: () => pool.end() };
  }
  const database = new DatabaseSync(url);
  const store = createSqliteStore(database, { createTable: true });
  database.exec("PRAGMA synchronous = NORMAL");
  return { store: cleaned(store), close: async () => database.close() };
}

/** Deletes expired events once an hour. */
function cleaned(store: TableStore): ReceiverStore {
  setInterval(() => void store.deleteExpired().catch(report), hour).unref();
  return store;
}
