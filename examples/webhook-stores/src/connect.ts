import { createClient } from "@redis/client";
import type { ReceiverStore } from "@tryon/webhooks";
import { Pool } from "pg";

import { createPostgresStore } from "./postgres.ts";
import { createRedisStore } from "./redis.ts";

/** A store, and how to let go of it. */
export interface Connection {
  readonly store: ReceiverStore;
  close(): Promise<void>;
}

/** Logs errors of an idle connection to stderr. */
function report(error: Error): void {
  process.stderr.write(`The store: ${error.message}\n`);
}

/** Connects to the store of a URL: `redis://…` or `postgres://…`. */
export async function connect(url: string): Promise<Connection> {
  if (url.startsWith("redis")) {
    const client = createClient({ url, disableOfflineQueue: true });
    client.on("error", report);
    await client.connect();
    return { store: createRedisStore(client), close: async () => client.destroy() };
  }
  const timeouts = { connectionTimeoutMillis: 2_000, query_timeout: 2_000 };
  const pool = new Pool({ connectionString: url, ...timeouts });
  pool.on("error", report);
  return { store: createPostgresStore(pool), close: () => pool.end() };
}
