// A worker in a process of its own. It asks whoever has started it before each submission and after each answer, and goes
// on when it is told to, so that it can be killed at either moment.
import { TryOn } from "@tryon/client";

import { createQueue } from "../queue.ts";
import { createWorker } from "../worker.ts";
import { connectTo } from "./connect-to.ts";
import type { Question, WorkerSetup } from "./worker-processes.ts";

// Given by whoever has started this.
const setup = JSON.parse(process.argv[2] ?? "") as WorkerSetup;
const answers = new Map<number, () => void>();
let count = 0;
process.on("message", (number: number) => answers.get(number)?.());
process.on("disconnect", () => process.exit());

/** Resolves when it may go on. */
function ask(about: Question["about"], key: string): Promise<void> {
  const number = (count += 1);
  return new Promise((resolve) => {
    answers.set(number, resolve);
    process.send?.({ about, key, number } satisfies Question);
  });
}

const redis = connectTo(setup.redisUrl);
const queue = createQueue(redis, setup.queueName);
queue.on("error", () => undefined);
const tryon = new TryOn({
  apiKey: setup.apiKey,
  baseUrl: setup.baseUrl,
  middleware: async (request, next, { purpose, idempotencyKey = "" }) => {
    if (purpose !== "submit") return next(request);
    request.headers.set("x-worker", setup.name);
    await ask("sends", idempotencyKey);
    const answer = await next(request);
    await ask("was answered", idempotencyKey);
    return answer;
  },
});
const { limiter } = setup;
const worker = await createWorker(queue, {
  redis,
  tryon,
  limiter,
  save: (id) => ask("saves", id),
  // So that what the dead leave is taken up soon.
  lockDuration: 3_000,
  stalledInterval: 1_000,
});
worker.on("error", () => undefined);
process.once("SIGTERM", () => void stop());
await ask("begins", setup.name);

async function stop(): Promise<void> {
  await worker.close();
  await queue.close();
  redis.disconnect();
  process.disconnect();
}
