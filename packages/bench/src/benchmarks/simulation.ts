import { TryOn } from "@tryon/client";
import { createMock } from "@tryon/mock";
import { createReceiver, type Receiver } from "@tryon/webhooks";

import type { Benchmark } from "../benchmark.ts";
import {
  type fieldsOf,
  oneAtATime,
  peerStrategies,
  polling,
  sync,
  webhook,
  withoutHeaders,
  type Strategy,
} from "../candidates/strategies.ts";

const apiKey = "svc_live_simulation";
const webhookSecret = "whsec_simulation";
const startCredits = 1_000_000;
/** Latency of one direction, in milliseconds. */
const latency = { min: 20, max: 60 };

/** Creates a random source of the numbers from 0 up to, not including, 1. */
export function seededRandom(seed: number): () => number {
  // An additive sequence with the mix function of MurmurHash3.
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

/** Draws log-normal run times with a median of 12 s and a p95 of 30 s, in milliseconds. */
export function drawRunTimes(count: number, random: () => number): readonly number[] {
  const deviationsToP95 = 1.644_853_626_951_472_2;
  const deviation = Math.log(30 / 12) / deviationsToP95;
  // Box–Muller transform.
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: count }, () => 12_000 * Math.exp(deviation * normal()));
}

interface Load {
  readonly jobs: number;
  /** Requests per minute. */
  readonly limit: number;
  /** @default drawn from the seed */
  readonly runTimes?: readonly number[];
}

export const manyJobs: Load = { jobs: 1_000, limit: 60 };
export const singleJobs: Load = { jobs: 400, limit: 1_000_000 };
export const seeds: readonly number[] = [1, 2, 3, 4, 5];

/**
 * Runs one strategy from the first request to the last result, with the reference server and the network on one
 * virtual clock. The seed alone determines the result.
 */
export async function simulate(
  { work, service }: Pick<Strategy, "work" | "service">,
  { jobs, limit, runTimes }: Load,
  seed: number,
) {
  // Code that the client loads on demand takes real time, during which the virtual clock advances.
  await new TryOn({ apiKey: "svc_test_none", baseUrl: "https://tryon.invalid" }).inspect({});

  const mock = createMock({
    clock: "manual",
    seed,
    journalLimit: 1_000_000,
    ...service,
    sendWebhook: (request) => receiver(request),
  });
  const { baseUrl, clock } = mock;
  const completions = new Map<string, () => void>();
  const receiver: Receiver = createReceiver({
    secrets: webhookSecret,
    clock,
    onCompleted: (event) => completions.get(event.job_id)?.(),
  });
  mock.faults.add({ on: "webhook", latency: (latency.min + latency.max) / 2 });
  const key = { token: apiKey, webhookSecret, credits: startCredits };
  await mock.createKey({ ...key, rateLimitPerMinute: limit });

  const random = seededRandom(seed * 3 + 1);
  const randomLatency = seededRandom(seed * 3 + 2);
  const transfer = async (signal: AbortSignal | null | undefined): Promise<void> => {
    const range = latency.max - latency.min + 1;
    await clock.sleep(latency.min + Math.floor(randomLatency() * range));
    signal?.throwIfAborted();
  };
  const fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const body = init.body ? await new Response(init.body).text() : null;
    await transfer(init.signal);
    const response = await mock.fetch(url, { ...init, body });
    // The clock must not move on before the body is complete.
    const content = await response.arrayBuffer();
    await transfer(init.signal);
    return new Response(content, response);
  };

  const times = runTimes ?? drawRunTimes(jobs, seededRandom(seed * 3));
  const items = times.map((time, index) => ({ index, runTime: Math.round(time) }));
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const receivedAt = new Map<number, number>();
  const startedAt = clock.now();
  const working = work(
    {
      tryon: new TryOn({ apiKey, baseUrl, clock, fetch, random }),
      clock,
      random,
      request: (path, init) => fetch(`${baseUrl}/api/v1/tryon${path}`, { ...init, headers }),
      completion: (jobId) => new Promise((resolve) => completions.set(jobId, resolve)),
      received: ({ index }) => receivedAt.set(index, clock.now()),
    },
    items,
  );
  await clock.runUntil(working, "30d");

  const calls = mock.journal.entries();
  const ledger = await mock.ledger(apiKey);
  mock.close();
  const delays = calls.flatMap(({ at, jobId, replayed, submission }) => {
    if (submission === null || jobId === null || replayed) return [];
    // Every submission has the fields of `fieldsOf`.
    const { metadata } = submission.fields as ReturnType<typeof fieldsOf>;
    const endedAt = at + (items[metadata.item]?.runTime ?? Number.NaN);
    return (receivedAt.get(metadata.item) ?? Number.NaN) - endedAt;
  });
  if (receivedAt.size !== jobs) throw new Error("An item of the simulation has no result.");
  const makespan = Math.max(...receivedAt.values()) - startedAt;
  return {
    requestsPerJob: calls.length / jobs,
    rateLimited: calls.filter(({ status }) => status === 429).length,
    credits: startCredits - (ledger?.balance ?? Number.NaN),
    /** Time from the start to the last result, in milliseconds. */
    makespan,
    /** Makespan in relation to the time that the submissions alone need under the limit. */
    makespanRatio: makespan / ((jobs / limit) * 60_000),
    /** Mean time between the end of a job and its result at the caller, in milliseconds. */
    meanDelay: delays.reduce((sum, delay) => sum + delay, 0) / jobs,
  };
}

export const simulation: Benchmark = {
  name: "simulation",
  title: "1,000 jobs under a limit of 60 requests a minute",
  method:
    "Real clients and the reference server run on a virtual clock. The latency is 20 to 60 ms, and run times are log-normal (median 12 s, p95 30 s). Runs differ in their random seed. The delay is the time between the end of a job and its result at the caller. The peers are loops that poll and back off as the sources of fal, replicate and fashn do, 20 jobs at a time. After 5 s the caller repeats a request that they abandon.",
  groups: {
    makespan: { title: "Makespan, ratio to the submissions alone", unit: "×", chart: true },
    requests: { title: "Requests per job", unit: "requests", chart: true },
    rateLimited: { title: "Responses with status 429", unit: "responses" },
    delay: { title: "Mean delay", unit: "s" },
    polls: { title: "Polls per job", unit: "requests" },
  },
  goals: [
    { group: "makespan", row: sync.name, max: 1.1 },
    { group: "makespan", row: polling.name, max: 1.35 },
    { group: "requests", row: sync.name, max: 1.1 },
    { group: "requests", row: polling.name, max: 1.3 },
    { group: "rateLimited", row: sync.name, max: 0 },
    { group: "rateLimited", row: polling.name, max: 0 },
    { group: "delay", row: oneAtATime.name, max: 1.2 },
    { group: "polls", row: oneAtATime.name, max: 6 },
  ],
  async *measure() {
    for (const seed of seeds) {
      // One run of the others has to do: the peers send many requests.
      const others = [...withoutHeaders(sync), ...withoutHeaders(polling), ...peerStrategies];
      for (const strategy of [sync, polling, webhook, ...(seed === seeds[0] ? others : [])]) {
        const figures = await simulate(strategy, manyJobs, seed);
        yield {
          makespan: { [strategy.name]: figures.makespanRatio },
          requests: { [strategy.name]: figures.requestsPerJob },
          rateLimited: { [strategy.name]: figures.rateLimited },
          delay: { [strategy.name]: figures.meanDelay / 1_000 },
        };
      }
      const { meanDelay, requestsPerJob } = await simulate(oneAtATime, singleJobs, seed);
      yield {
        delay: { [oneAtATime.name]: meanDelay / 1_000 },
        polls: { [oneAtATime.name]: requestsPerJob - 1 },
      };
    }
  },
};
