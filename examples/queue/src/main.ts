import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

import { TryOn } from "@tryon/client";
import { Redis } from "ioredis";

import { createQueue, enqueue, type Item } from "./queue.ts";
import { createWorker } from "./worker.ts";

const { REDIS_URL, PICTURES = "pictures" } = process.env;
if (REDIS_URL === undefined) {
  throw new Error("Set REDIS_URL to the address of a Redis, e.g. redis://127.0.0.1");
}
await mkdir(PICTURES, { recursive: true });

// BullMQ wants commands to wait for a Redis that is away.
const redis = new Redis(REDIS_URL, { maxRetriesPerRequest: null });
redis.on("error", report);
const queue = createQueue(redis);
queue.on("error", report);

for (const file of process.argv.slice(2)) {
  // What stands there is for the service to check.
  const items = JSON.parse(await readFile(file, "utf8")) as Item[];
  await enqueue(queue, basename(file), items);
}

const worker = await createWorker(queue, {
  redis,
  tryon: new TryOn(),
  async save(id, { image }) {
    await writeFile(join(PICTURES, `${encodeURIComponent(id)}.png`), await image.bytes());
  },
});
worker.on("error", report);
worker.on("completed", (item, { jobId }) => say(`${item.data.id} ${jobId}`));
worker.on("failed", (item, error) => say(`${item?.data.id} ${error.message}`));

process.once("SIGTERM", () => void stop());

async function stop(): Promise<void> {
  await worker.close();
  await queue.close();
  redis.disconnect();
}

function say(words: string): void {
  process.stdout.write(`${words}\n`);
}

/** Says on stderr what concerns no single item. */
function report(error: Error): void {
  const reason = error.cause instanceof Error ? ` ${error.cause.message}` : "";
  process.stderr.write(`${error.message}${reason}\n`);
}
