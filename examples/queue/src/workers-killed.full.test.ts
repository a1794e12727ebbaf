import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { pace } from "./pace.ts";
import { createQueue, enqueue, keyOf, type Item } from "./queue.ts";
import { quickService } from "./testing/quick-service.ts";
import { isInstalled } from "@tryon/test-kit/installed-programs";
import { startRedis } from "@tryon/test-kit/store-servers";

import { connectTo } from "./testing/connect-to.ts";
import { WorkerProcesses, type Question } from "./testing/worker-processes.ts";

const speed = 5;
const requestsPerMinute = 60;
const ids = Array.from({ length: 72 }, (_unused, index) => `sku-${index}`);

/** Where a worker is killed: when it has noted that it sends, when the service is at work, when the answer is not noted yet. */
const moments = ["before", "during", "after"] as const;
type Moment = (typeof moments)[number];

it.runIf(await isInstalled("redis")).each(["default", "contrary"] as const)(
  "three workers of which one is killed nine times, and a Redis that restarts, make each of 72 items, pay each once, and never meet the rate limit, under the profile %s",
  { timeout: 300_000 },
  async (profile) => {
    /** Nine items, far enough from each other, at which whoever is at them is killed. */
    const fates = new Map<string, Moment>(
      Array.from({ length: 9 }, (_unused, index) => [
        keyOf("spring", `sku-${4 + 7 * index}`),
        moments[index % 3] ?? "before",
      ]),
    );
    const killed = { before: 0, during: 0, after: 0 };
    const saved = new Set<string>();
    const sent = new Map<string, number>();

    const kill = async (worker: string, key: string, moment: Moment): Promise<void> => {
      if (fates.get(key) !== moment || !(await workers.kill(worker))) return;
      fates.delete(key);
      killed[moment] += 1;
    };
    const ask = async (worker: string, { about, key }: Question): Promise<void> => {
      if (about === "saves") saved.add(key);
      if (about === "sends") await kill(worker, key, "before");
      if (about === "was answered") await kill(worker, key, "after");
    };

    const redisServer = await startRedis();
    onTestFinished(() => redisServer.remove());
    const redis = connectTo(redisServer.url);
    const queue = createQueue(redis);
    queue.on("error", () => undefined);
    onTestFinished(async () => {
      await queue.close();
      redis.disconnect();
    });
    const service = await quickService(
      speed,
      { profile, latency: 4_000 },
      async ({ method, headers }) => {
        if (method !== "POST") return;
        const key = headers.get("idempotency-key") ?? "";
        sent.set(key, (sent.get(key) ?? 0) + 1);
        await kill(headers.get("x-worker") ?? "", key, "during");
      },
    );
    onTestFinished(() => service.close());
    const { token } = await service.mock.createKey({ rateLimitPerMinute: requestsPerMinute });
    const cache = await mkdtemp(join(tmpdir(), "tryon-queue-"));
    onTestFinished(() => rm(cache, { recursive: true, force: true }));
    const { max, duration } = pace(requestsPerMinute);
    const setup = {
      redisUrl: redisServer.url,
      queueName: queue.name,
      baseUrl: service.url,
      apiKey: token,
      limiter: { max, duration: duration / speed },
    };
    const workers = new WorkerProcesses(setup, cache, ask);
    onTestFinished(() => workers.end());

    const items: Item[] = ids.map((id) => ({
      id,
      input: {
        person: `https://shop.example/me.jpg`,
        garments: [`https://shop.example/${id}.png`],
      },
    }));
    await Promise.all([enqueue(queue, "spring", items), enqueue(queue, "spring", items)]);
    for (let count = 0; count < 3; count += 1) workers.start();

    const patience = { timeout: 200_000, interval: 200 };
    await workers.during(expect.poll(() => saved.size, patience).toBeGreaterThan(30));
    await redisServer.stop();
    await redisServer.start();
    await enqueue(queue, "spring", items);
    await workers.during(
      expect
        .poll(() => queue.getJobCounts("completed", "failed"), patience)
        .toEqual({ completed: ids.length, failed: 0 }),
    );
    expect(await workers.stop()).toEqual([0, 0, 0]);

    expect(killed).toEqual({ before: 3, during: 3, after: 3 });
    expect([...saved].toSorted()).toEqual(ids.toSorted());
    const ledger = await service.mock.ledger(token);
    const taken = ledger?.entries.filter(({ jobId }) => jobId !== undefined) ?? [];
    expect(taken.map(({ credits }) => credits)).toEqual(ids.map(() => -8));
    expect(new Set(taken.map(({ jobId }) => jobId)).size).toBe(ids.length);
    expect(service.statuses.filter((status) => status !== 200)).toEqual([]);
    // Those that were killed after the service had got to work have been sent again.
    const twice = [...sent.values()].filter((count) => count > 1).length;
    expect(twice).toBeGreaterThanOrEqual(6);
    expect(service.statuses.length).toBeGreaterThan(requestsPerMinute);
    // oxlint-disable-next-line no-console
    console.log(
      `${profile}: ${ids.length} items, ${service.statuses.length} requests, ${twice} items sent more than once, killed ${JSON.stringify(killed)}`,
    );
  },
);
