import { join } from "node:path";

import { createMock } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { chargesOf, passTime } from "@tryon/test-kit/serve-mock";
import { startScript, type Program } from "@tryon/test-kit/start-program";
import { startRedis } from "@tryon/test-kit/store-servers";
import { expect, it, onTestFinished } from "vitest";

import { limiterOptions } from "../src/limiter-options.ts";
import { createQueue, enqueue, itemKey } from "../src/queue.ts";
import { connect } from "./connect.ts";
import type { CrashPoint, WorkerSetup } from "./worker-program.ts";

/** Speed of the service's clock, so that its minutes pass sooner. */
const speed = 5;
const requestsPerMinute = 60;
const pollOptions = { timeout: 200_000, interval: 200 };

const items = Array.from({ length: 72 }, (_unused, index) => ({
  id: `sku-${index}`,
  input: {
    person: "https://shop.example/me.jpg",
    garments: [`https://shop.example/${index}.png`],
  },
}));

/** Nine items with a crash point, far enough apart for the next worker to start. */
const crashPoints = Object.fromEntries(
  Array.from({ length: 3 }, (_unused, round): [string, CrashPoint][] => [
    [itemKey("spring", `sku-${4 + 21 * round}`), "before request"],
    [itemKey("spring", `sku-${11 + 21 * round}`), "during request"],
    [itemKey("spring", `sku-${18 + 21 * round}`), "after response"],
  ]).flat(),
);

it.runIf(await isInstalled("redis")).each(["default", "alternate"] as const)(
  "charges 72 items once each and stays under the rate limit, despite nine killed workers and a restart of Redis, under the profile %s",
  { timeout: 300_000 },
  async (profile) => {
    const mock = createMock({ clock: "manual", latency: 4_000, profile });
    passTime(mock, speed);
    const crashed = new Set<string>();
    const server = await serve({
      fetch(resource, init) {
        // `serve` always passes a `Request`.
        const { headers } = resource as Request;
        const response = mock.fetch(resource, init);
        const key = headers.get("idempotency-key") ?? "";
        if (crashPoints[key] === "during request" && !crashed.has(key)) {
          crashed.add(key);
          process.kill(Number(headers.get("x-process-id")), "SIGKILL");
        }
        return response;
      },
    });
    const { token } = await mock.createKey({ rateLimitPerMinute: requestsPerMinute });

    const redisServer = await startRedis();
    const redis = connect(redisServer.url);
    const queue = createQueue(redis);
    queue.on("error", () => undefined);

    const { max, duration } = limiterOptions(requestsPerMinute);
    const setup: WorkerSetup = {
      redisUrl: redisServer.url,
      baseUrl: server.url,
      apiKey: token,
      limiter: { max, duration: duration / speed },
      crashPoints,
    };
    const workers = new Set<Program>();
    const exits: unknown[] = [];
    const startWorker = async (): Promise<void> => {
      const path = join(import.meta.dirname, "worker-program.ts");
      const program = startScript(path, [JSON.stringify(setup)]);
      workers.add(program);
      const { code, signal } = await program.ended;
      workers.delete(program);
      exits.push(signal ?? code);
      if (signal === "SIGKILL") void startWorker();
    };
    onTestFinished(async () => {
      for (const worker of workers) worker.kill("SIGTERM");
      await queue.close();
      redis.disconnect();
      await redisServer.remove();
      mock.close();
      await server.close();
    });

    await Promise.all([enqueue(queue, "spring", items), enqueue(queue, "spring", items)]);
    for (let count = 0; count < 3; count += 1) void startWorker();
    await expect.poll(() => redis.scard("saved"), pollOptions).toBeGreaterThan(30);
    await redisServer.stop();
    await redisServer.start();
    await enqueue(queue, "spring", items);
    await expect
      .poll(() => queue.getJobCounts("completed", "failed"), pollOptions)
      .toEqual({ completed: items.length, failed: 0 });
    const remaining = [...workers];
    await Promise.all(remaining.map((worker) => worker.waitFor(/ready/)));
    await Promise.all(remaining.map((worker) => worker.stop()));

    expect(exits).toEqual([...Array(9).fill("SIGKILL"), 0, 0, 0]);
    expect(await redis.scard("saved")).toBe(items.length);
    expect(await chargesOf(mock, token)).toEqual(items.map(() => -8));
    const { entries = [] } = (await mock.ledger(token)) ?? {};
    expect(new Set(entries.flatMap(({ jobId }) => jobId ?? [])).size).toBe(items.length);
    const requests = mock.journal.entries();
    expect(requests.length).toBeGreaterThan(requestsPerMinute);
    // Workers that start later share the rate limit that the first three read.
    expect(requests.filter(({ path }) => path === "/api/v1/account").length).toBeLessThanOrEqual(3);
    expect(requests.filter(({ status }) => status !== 200 && status !== null)).toEqual([]);
    // Workers that crash during the request or after the response leave items that are submitted again.
    const submissions = requests.filter(({ method }) => method === "POST");
    expect(submissions.length).toBeGreaterThanOrEqual(items.length + 6);
  },
);
