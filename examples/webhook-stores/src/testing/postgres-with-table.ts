import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { startPostgres, type StoreServer } from "@tryon/test-kit/store-servers";
import { Client } from "pg";

/** Starts a PostgreSQL with the table of the store in it. */
export async function startPostgresWithTable(): Promise<StoreServer> {
  const server = await startPostgres();
  const client = new Client({ connectionString: server.url });
  await client.connect();
  await client.query(await readFile(join(import.meta.dirname, "../table.sql"), "utf8"));
  await client.end();
  return server;
}
