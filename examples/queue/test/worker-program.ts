// A worker that kills itself once at the crash point of an item.
import { TryOn } from "@tryon/client";
import type { RateLimiterOptions } from "bullmq";

import { createQueue } from "../src/queue.ts";
import { createWorker } from "../src/create-worker.ts";
import { connect } from "./connect.ts";

export type CrashPoint = "before request" | "during request" | "after response";

/** Argument of this program, as JSON. */
export interface WorkerSetup {
  readonly redisUrl: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly limiter: RateLimiterOptions;
  /** Crash points by idempotency key. The service crashes the worker during a request. */
  readonly crashPoints: Readonly<Record<string, CrashPoint>>;
}

// Passed by the test.
const setup = JSON.parse(process.argv[2] ?? "") as WorkerSetup;
const redis = connect(setup.redisUrl);
const queue = createQueue(redis);
queue.on("error", () => undefined);

async function crashAt(point: CrashPoint, key: string): Promise<void> {
  if (setup.crashPoints[key] !== point) return;
  // Only one process crashes, even if Redis restarts and the command is sent again.
  await redis.setnx(`crashed:${key}`, process.pid);
  if ((await redis.get(`crashed:${key}`)) === String(process.pid)) {
    process.kill(process.pid, "SIGKILL");
  }
}

const tryon = new TryOn({
  apiKey: setup.apiKey,
  baseUrl: setup.baseUrl,
  middleware: async (request, next, { purpose, idempotencyKey = "" }) => {
    if (purpose !== "submit") return next(request);
    request.headers.set("x-process-id", String(process.pid));
    await crashAt("before request", idempotencyKey);
    const response = await next(request);
    await crashAt("after response", idempotencyKey);
    return response;
  },
});
const worker = await createWorker(queue, {
  redis,
  tryon,
  limiter: setup.limiter,
  save: (id) => redis.sadd("saved", id),
  // Short, so that other workers soon take over the items of a killed one.
  lockDuration: 3_000,
  stalledInterval: 1_000,
});
worker.on("error", () => undefined);
process.once("SIGTERM", () => void stop());
process.stdout.write("ready\n");

async function stop(): Promise<void> {
  await worker.close();
  await queue.close();
  redis.disconnect();
}
