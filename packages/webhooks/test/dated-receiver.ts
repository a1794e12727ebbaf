/*
 * Program of a receiver whose date differs from that of the machine. It delivers one event to itself. Its date can change
 * while that delivery waits.
 */
import { connectNodeRedis, connectPostgres, connectSqlite } from "@tryon/test-kit/store-clients";

import { createReceiver } from "../src/index.ts";
import { createPostgresStore } from "../src/stores/postgres.ts";
import { createRedisStore } from "../src/stores/redis.ts";
import { createSqliteStore } from "../src/stores/sqlite.ts";
import { delivery, secret } from "./receiving-process.ts";

const [url = "", job = "", dateOffset = "", hangs = "", change = "0"] = process.argv.slice(2);
const { now } = Date;
let offset = Number(dateOffset);
Date.now = () => now() + offset;
setTimeout(() => (offset += Number(change)), 1_000);

async function openStore() {
  if (url.startsWith("redis:")) return createRedisStore((await connectNodeRedis(url)).client);
  if (url.startsWith("postgres:")) {
    return createPostgresStore((await connectPostgres(url)).client, { createTable: true });
  }
  return createSqliteStore((await connectSqlite(url)).client, { createTable: true });
}

const receive = createReceiver({
  secrets: secret,
  store: await openStore(),
  claimTtl: 3_000,
  claimWait: 5_500,
  onCompleted: async () => {
    process.stdout.write("handles\n");
    if (hangs) await new Promise((resolve) => setTimeout(resolve, 60_000));
  },
  onError: () => undefined,
});
const event = { event: "tryon.completed", job_id: job, status: "succeeded" };
const { status } = await receive(await delivery(event));
process.stdout.write(`status ${status}\n`);
process.exit();
