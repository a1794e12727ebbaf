import { hash } from "node:crypto";

import { TryOn } from "@tryon/client";
import { batch } from "@tryon/client/batch";
import { createMock, type MockOptions } from "@tryon/mock";

import type { Benchmark } from "../benchmark.ts";
import { benchKey, jsonHeaders } from "../candidates/fixtures.ts";

/** Job and its run time in milliseconds. */
type Item = Readonly<Record<"index" | "runTime", number>>;

interface Strategy {
  readonly name: string;
  readonly service?: Pick<MockOptions, "options" | "profile">;
  readonly work: (caller: Caller, items: readonly Item[]) => Promise<void>;
}

type Caller = Awaited<ReturnType<typeof createCaller>>;
type WorkOnItem = (caller: Caller, item: Item) => Promise<unknown>;

/** Creates a client, the reference server and the network between them on one virtual clock. */
async function createCaller(seed: number, limit: number, service: Strategy["service"]) {
  const completions = new Map<string, () => void>();
  const mock = createMock({
    clock: "manual",
    seed,
    journalLimit: 1_000_000,
    ...service,
    sendWebhook: async (request) => {
      completions.get(request.headers.get("x-service-job-id") ?? "")?.();
      return new Response();
    },
  });
  const { baseUrl, clock } = mock;
  mock.faults.add({ on: "webhook", latency: 40 });
  await mock.createKey({ ...benchKey, rateLimitPerMinute: limit });

  const random = seededRandom(`client ${seed}`);
  const randomLatency = seededRandom(`latency ${seed}`);
  const transfer = async (signal: AbortSignal | null | undefined): Promise<void> => {
    await clock.sleep(20 + Math.floor(41 * randomLatency()));
    signal?.throwIfAborted();
  };
  const fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    await transfer(init.signal);
    const response = await mock.fetch(url, init);
    // The clock must not move on before the body is complete.
    const content = await response.arrayBuffer();
    await transfer(init.signal);
    return new Response(content, response);
  };
  const receivedAt: number[] = [];
  return {
    mock,
    clock,
    random,
    tryon: new TryOn({ apiKey: benchKey.token, baseUrl, clock, fetch, random }),
    /** Sends a request of a client that is not ours. */
    request: (path: string, init?: RequestInit) =>
      fetch(`${baseUrl}/api/v1/tryon${path}`, { ...init, headers: jsonHeaders }),
    completion: (jobId: string) => new Promise<void>((resolve) => completions.set(jobId, resolve)),
    receivedAt,
    received: () => void receivedAt.push(clock.now()),
  };
}

function fieldsOf({ index, runTime }: Item) {
  return {
    person_url: "https://shop.example/me.jpg",
    garment_urls: ["https://shop.example/shirt.png"],
    // The reference server takes the run time from the prompt.
    prompt: `mock:slow=${runTime}`,
    metadata: { item: index },
  };
}

function inBatch(name: string, sync: "auto" | false): Strategy {
  return {
    name: `@tryon/client batch, ${name}`,
    work: async ({ tryon, received }, items) => {
      for await (const outcome of batch(tryon, items, { input: fieldsOf, sync })) {
        if (outcome.error) throw outcome.error;
        received();
      }
    },
  };
}

export const sync = inBatch("sync", "auto");
export const polling = inBatch("polling", false);

/** The same batch against a service with rate limit headers on 429 responses only, or with none. */
function withoutHeaders(strategy: Strategy): readonly Strategy[] {
  return (["429-only", "none"] as const).map((rateHeaders) => {
    const name = `${strategy.name}, ${rateHeaders === "none" ? "no headers" : "headers on 429"}`;
    return { ...strategy, name, service: { options: { rateHeaders } } };
  });
}

function atATime(count: number, work: WorkOnItem): Strategy["work"] {
  return async (caller, items) => {
    const remaining = items.values();
    const worker = async (): Promise<void> => {
      for (const item of remaining) await work(caller, item).then(caller.received);
    };
    await Promise.all(Array.from({ length: count }, worker));
  };
}

export const webhook: Strategy = {
  name: "@tryon/client, webhooks",
  work: async (caller, items) => {
    // The client learns the limit before 40 requests start at once.
    await caller.tryon.account.get();
    await atATime(40, async ({ tryon, completion }, item) => {
      const webhook_url = "https://shop.example/webhooks";
      await completion((await tryon.submit({ ...fieldsOf(item), webhook_url })).id);
    })(caller, items);
  },
};

const oneAtATime: Strategy = {
  name: "@tryon/client, one job at a time",
  work: atATime(1, async ({ tryon }, item) => (await tryon.submit(fieldsOf(item))).result()),
};

/** Client of another service, as its source behaves at the compared version. It polls each job by itself. */
interface PollingClient {
  /** Time between polls, in milliseconds. */
  readonly interval: number;
  /** Retries before the client abandons a call, for submissions and polls. */
  readonly retries: Readonly<Record<"submit" | "poll", number>>;
  /** Delay after a 429, in milliseconds. */
  readonly backoff: (attempt: number, headers: Headers, random: () => number) => number;
  /** If true, requests the result separately when the job has ended. */
  readonly fetchesResult?: boolean;
}

export const pollingClients: Readonly<Record<string, PollingClient>> = {
  fal: {
    interval: 500,
    retries: { submit: 3, poll: 5 },
    // Doubles from one second, with 25 % jitter, and ignores `Retry-After`.
    backoff: (attempt, _headers, random) => 1_000 * 2 ** attempt * (0.75 + random() * 0.5),
    fetchesResult: true,
  },
  replicate: {
    interval: 500,
    retries: { submit: 5, poll: 5 },
    // Waits only for integers, and parses the delay as none.
    backoff: () => 0,
  },
  fashn: {
    interval: 1_000,
    retries: { submit: 3, poll: 3 },
    // Obeys a `Retry-After` below one minute; otherwise waits for 2 to 6 seconds, less up to a quarter.
    backoff: (attempt, headers, random) => {
      const asked = Number.parseFloat(headers.get("retry-after") ?? "") * 1_000;
      if (asked > 0 && asked < 60_000) return asked;
      return Math.min(2 * 2 ** attempt, 6) * (1 - random() * 0.25) * 1_000;
    },
  },
};

export const peerStrategies = Object.entries(pollingClients).map(([name, client]): Strategy => {
  const { interval, retries, backoff, fetchesResult } = client;
  const work = atATime(20, async ({ clock, random, request }, item) => {
    /** Repeats a call as the client does, and 5 s after it abandoned the call as its caller does. */
    const call = async (path: string, maxRetries: number, init?: RequestInit) => {
      for (let attempt = 0; ; attempt = attempt < maxRetries ? attempt + 1 : 0) {
        const response = await request(path, init);
        // The contract defines the response.
        if (response.ok) return (await response.json()) as { job_id?: string; status?: string };
        if (response.status !== 429) throw new Error(`Got ${response.status} instead of 200.`);
        const delay = backoff(attempt, response.headers, random);
        await clock.sleep(attempt < maxRetries ? delay : 5_000);
      }
    };
    const body = JSON.stringify({ ...fieldsOf(item), wait: false });
    const { job_id: id } = await call("", retries.submit, { method: "POST", body });
    const poll = () => call(`/${id}`, retries.poll);
    while ((await poll()).status !== "succeeded") await clock.sleep(interval);
    if (fetchesResult) await call(`/${id}`, retries.submit);
  });
  return { name: `${name}, poll every ${interval} ms`, work };
});

/** Creates a random source of the numbers from 0 up to, not including, 1. */
export function seededRandom(seed: string): () => number {
  let count = 0;
  return () => hash("sha256", `${seed} ${(count += 1)}`, "buffer").readUInt32BE() / 2 ** 32;
}

/** Draws log-normal run times with a median of 12 s and a p95 of 30 s, in milliseconds. */
export function drawRunTimes(count: number, random: () => number): readonly number[] {
  // The p95 is 1.645 standard deviations above the median.
  const deviation = Math.log(30 / 12) / 1.645;
  // Box–Muller transform.
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: count }, () => 12_000 * Math.exp(deviation * normal()));
}

/** Load of the benchmark, with the limit in requests per minute. */
export const manyJobs = { jobs: 1_000, limit: 60 };

/** Runs one strategy and checks that each job is charged once; the seed alone determines the figures. */
export async function simulate(
  { work, service }: Pick<Strategy, "work" | "service">,
  { jobs, limit }: typeof manyJobs,
  seed: number,
  runTimes = drawRunTimes(jobs, seededRandom(`run times ${seed}`)),
) {
  const caller = await createCaller(seed, limit, service);
  const { mock, clock, receivedAt } = caller;
  const startedAt = clock.now();
  const items = runTimes.map((time, index) => ({ index, runTime: Math.round(time) }));
  await clock.runUntil(work(caller, items), "30d");

  const calls = mock.journal.entries();
  const { balance = 0 } = (await mock.ledger(benchKey.token)) ?? {};
  mock.close();
  const submissions = calls.filter((it) => it.submission && it.jobId && !it.replayed);
  const counts = [submissions.length, (benchKey.credits - balance) / 8, receivedAt.length];
  if (counts.some((it) => it !== jobs)) throw new Error("A job was not charged and received once.");
  const endedAt = sum(submissions.map(({ at }) => at)) + sum(items.map(({ runTime }) => runTime));
  return {
    /** Time to the last result, in relation to the time that the submissions alone need under the limit. */
    makespan: (Math.max(...receivedAt) - startedAt) / ((jobs / limit) * 60_000),
    requests: calls.length / jobs,
    rateLimited: calls.filter(({ status }) => status === 429).length,
    /** Mean time between the end of a job and its result at the caller, in seconds. */
    delay: (sum(receivedAt) - endedAt) / jobs / 1_000,
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, it) => total + it, 0);

export const simulation = {
  name: "simulation",
  title: "1,000 jobs at 60 requests a minute",
  groups: {
    makespan: "Makespan, ratio to the submissions alone (×)",
    requests: "Requests per job",
    rateLimited: "Responses with status 429",
    delay: "Mean delay (s)",
    polls: "Polls per job",
  },
  async *measure() {
    for (const seed of [1, 2, 3, 4, 5]) {
      // One run of the others has to do: the peers send many requests.
      const others = [...withoutHeaders(sync), ...withoutHeaders(polling), ...peerStrategies];
      for (const strategy of [sync, polling, webhook, ...(seed === 1 ? others : [])]) {
        const figures = Object.entries(await simulate(strategy, manyJobs, seed));
        yield Object.fromEntries(figures.map(([group, it]) => [group, { [strategy.name]: it }]));
      }
      const { delay, requests } = await simulate(oneAtATime, { jobs: 400, limit: 1_000_000 }, seed);
      yield { delay: { [oneAtATime.name]: delay }, polls: { [oneAtATime.name]: requests - 1 } };
    }
  },
} satisfies Benchmark;
