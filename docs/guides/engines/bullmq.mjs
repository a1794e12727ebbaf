import { Queue, UnrecoverableError, Worker } from "bullmq";

import { isFinal, makeTryOn } from "./try-on.mjs";
import { done, items, tryon } from "./worker-client.mjs";

const connection = { url: process.env.REDIS_URL, maxRetriesPerRequest: null };
const queue = new Queue("try-ons", { connection });
for (const { id, input } of items) {
  const options = { jobId: id, attempts: 100, backoff: { type: "fixed", delay: 1_000 } };
  await queue.add("try-on", { id, input }, options);
}
const work = async ({ data, timestamp }) => {
  try {
    await makeTryOn(tryon, data, timestamp);
  } catch (error) {
    if (isFinal(error)) throw new UnrecoverableError(error.message);
    throw error;
  }
  done(data.id);
};
// Short locks, so that another worker soon gets the items of a killed one. A crash says nothing about an item.
const worker = new Worker(queue.name, work, {
  connection,
  lockDuration: 3_000,
  stalledInterval: 1_000,
  maxStalledCount: 1_000,
});
worker.on("error", () => undefined);
process.stdout.write("ready\n");
