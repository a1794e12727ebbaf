import { mkdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";

import { TryOn } from "@tryon/client";
import { Redis } from "ioredis";

import { createQueue, enqueue, type Item } from "./queue.ts";
import { createWorker } from "./create-worker.ts";

const { REDIS_URL, OUT = "out" } = process.env;
if (REDIS_URL === undefined) {
  throw new Error("Set REDIS_URL to the URL of a Redis server, e.g. redis://127.0.0.1");
}
await mkdir(OUT, { recursive: true });

// BullMQ requires that commands wait while Redis is unreachable.
const redis = new Redis(REDIS_URL, { maxRetriesPerRequest: null });
redis.on("error", logError);
const queue = createQueue(redis);
queue.on("error", logError);

for (const file of process.argv.slice(2)) {
  // The service validates the items.
  const items = JSON.parse(await readFile(file, "utf8")) as Item[];
  await enqueue(queue, basename(file), items);
}

const worker = await createWorker(queue, {
  redis,
  tryon: new TryOn(),
  async save(id, { image }) {
    await image.save(join(OUT, `${encodeURIComponent(id)}.png`));
  },
});
worker.on("error", logError);
worker.on("completed", (item, { jobId }) => log(`${item.data.id} ${jobId}`));
worker.on("failed", (item, error) => log(`${item?.data.id} ${error.message}`));

process.once("SIGTERM", () => void stop());

async function stop(): Promise<void> {
  await worker.close();
  await queue.close();
  redis.disconnect();
}

function log(line: string): void {
  process.stdout.write(`${line}\n`);
}

function logError(error: Error): void {
  const cause = error.cause instanceof Error ? ` ${error.cause.message}` : "";
  process.stderr.write(`${error.message}${cause}\n`);
}
