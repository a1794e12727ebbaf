import { TryOn } from "@tryon/client";
import { batch } from "@tryon/client/batch";
import { createMock, type MockOptions } from "@tryon/mock";
import { createReceiver, type Receiver } from "@tryon/webhooks";

import type { Benchmark } from "../benchmark.ts";

const apiKey = "svc_live_simulation";
const webhookSecret = "whsec_simulation";
const startCredits = 1_000_000;
/** Latency of one direction, in milliseconds. */
const latency = { min: 20, max: 60 };
/** Step and maximum of the virtual clock, in milliseconds. */
const clockStep = 10_000;
const maxDuration = 30 * 24 * 3_600_000;

/** Job of a simulation, with the run time of the model in milliseconds. */
interface Item {
  readonly index: number;
  readonly runTime: number;
}

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

function fieldsOf({ index, runTime }: Item) {
  return {
    person_url: "https://shop.example/me.jpg",
    garment_urls: ["https://shop.example/shirt.png"],
    // The reference server takes the run time from the prompt.
    prompt: `mock:slow=${runTime}`,
    metadata: { item: index },
  };
}

type Service = Pick<MockOptions, "options" | "profile">;

/** Reference server and network on one virtual clock. The seed alone determines the result. */
export class SimulationEnvironment {
  readonly random: () => number;
  readonly #latency: () => number;
  readonly #mock;
  readonly #key: Promise<unknown>;
  readonly #startedAt: number;
  readonly #endedAt = new Map<number, number>();
  readonly #receivedAt = new Map<number, number>();
  readonly #counts = { requests: 0, rateLimited: 0, abandoned: 0 };
  #receiver: Receiver | undefined;

  /** @param limit - requests per minute of the key. */
  constructor(seed: number, limit: number, service: Service = {}) {
    this.#mock = createMock({
      clock: "manual",
      seed,
      journalLimit: 1,
      ...service,
      sendWebhook: async (request) => this.#receiver?.(request) ?? Response.error(),
    });
    this.#mock.faults.add({ on: "webhook", latency: (latency.min + latency.max) / 2 });
    const key = { token: apiKey, webhookSecret, credits: startCredits };
    this.#key = this.#mock.createKey({ ...key, rateLimitPerMinute: limit });
    this.#startedAt = this.clock.now();
    this.random = seededRandom(seed * 3 + 1);
    this.#latency = seededRandom(seed * 3 + 2);
  }

  get clock() {
    return this.#mock.clock;
  }

  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const body = init.body ? await new Response(init.body).text() : null;
    this.#counts.requests += 1;
    await this.#transfer(init.signal);
    const arrivedAt = this.clock.now();
    const response = await this.#mock.fetch(url, { ...init, body });
    // The clock must not move on before the body is complete.
    const content = await response.arrayBuffer();
    const { status, headers } = response;
    if (status === 429) this.#counts.rateLimited += 1;
    else if (body !== null) this.#recordEnd(body, arrivedAt);
    await this.#transfer(init.signal);
    return new Response(content, { status, headers });
  };

  /** Sends a request of a client that is not ours. */
  request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    return this.fetch(`${this.#mock.baseUrl}/api/v1/tryon${path}`, { ...init, headers });
  }

  createClient(): TryOn {
    const { clock, fetch, random } = this;
    return new TryOn({ apiKey, baseUrl: this.#mock.baseUrl, clock, fetch, random });
  }

  onCompleted(handle: (jobId: string) => void): void {
    const { clock } = this;
    const onCompleted = (event: { job_id: string }) => handle(event.job_id);
    this.#receiver = createReceiver({ secrets: webhookSecret, clock, onCompleted });
  }

  /** Records that the caller has the result of an item. */
  received({ index }: Item): void {
    this.#receivedAt.set(index, this.clock.now());
  }

  /** Records that a client abandoned a call after a 429. */
  abandoned(): void {
    this.#counts.abandoned += 1;
  }

  /** Advances the clock until the work is done. */
  async run(work: () => Promise<unknown>): Promise<void> {
    await this.#key;
    const state = { done: false };
    const working = work().finally(() => (state.done = true));
    working.catch(() => undefined);
    while (!state.done) {
      if (this.clock.now() - this.#startedAt > maxDuration) {
        throw new Error("The simulation has not ended after 30 virtual days.");
      }
      await this.clock.advance(clockStep);
    }
    await working;
  }

  /** Closes the environment and returns its figures; times in milliseconds. */
  async close(jobs: number) {
    const ledger = await this.#mock.ledger(apiKey);
    this.#mock.close();
    const { requests, ...counts } = this.#counts;
    let delay = 0;
    for (let index = 0; index < jobs; index += 1) {
      delay += (this.#receivedAt.get(index) ?? NaN) - (this.#endedAt.get(index) ?? NaN);
    }
    if (Number.isNaN(delay)) throw new Error("An item of the simulation has no result.");
    return {
      ...counts,
      requestsPerJob: requests / jobs,
      credits: startCredits - (ledger?.balance ?? NaN),
      /** Time from the start to the last result. */
      makespan: Math.max(...this.#receivedAt.values()) - this.#startedAt,
      /** Mean time between the end of a job and its result at the caller. */
      meanDelay: delay / jobs,
    };
  }

  #recordEnd(body: string, arrivedAt: number): void {
    // Every submission has the fields of `fieldsOf`.
    const { metadata, prompt } = JSON.parse(body) as ReturnType<typeof fieldsOf>;
    const end = arrivedAt + Number(prompt.slice(prompt.indexOf("=") + 1));
    // A retry under the same key does not start the job again.
    if (!this.#endedAt.has(metadata.item)) this.#endedAt.set(metadata.item, end);
  }

  async #transfer(signal: AbortSignal | null | undefined): Promise<void> {
    const range = latency.max - latency.min + 1;
    await this.clock.sleep(latency.min + Math.floor(this.#latency() * range));
    signal?.throwIfAborted();
  }
}

/** Delay after a 429, in milliseconds; undefined where the client abandons the call. */
type Backoff = (attempt: number, headers: Headers, random: () => number) => number | undefined;

/** Client that polls each job by itself, first at once and then in intervals of milliseconds. */
interface PollingClient {
  readonly interval: number;
  readonly submitBackoff: Backoff;
  readonly pollBackoff: Backoff;
  /** If true, requests the result separately when the job has ended. */
  readonly fetchesResult?: boolean;
}

/** Doubles from one second, with 25 % jitter, and ignores `Retry-After`. */
function doublingBackoff(retries: number): Backoff {
  return (attempt, _headers, random) =>
    attempt < retries ? 1_000 * 2 ** attempt * (0.75 + random() * 0.5) : undefined;
}

/** Retries five times without a delay: only integers are waited for, and the parsed delay is none. */
const immediateBackoff: Backoff = (attempt) => (attempt < 5 ? 0 : undefined);

/** Obeys a `Retry-After` below one minute; otherwise waits for 2 to 6 seconds, less up to a quarter. */
const retryAfterBackoff: Backoff = (attempt, headers, random) => {
  if (attempt >= 3) return undefined;
  const asked = Number.parseFloat(headers.get("retry-after") ?? "") * 1_000;
  if (asked > 0 && asked < 60_000) return asked;
  return Math.min(2 * 2 ** attempt, 6) * (1 - random() * 0.25) * 1_000;
};

/** Clients of other services, as their sources behave at the compared versions. */
export const pollingClients = {
  fal: {
    interval: 500,
    submitBackoff: doublingBackoff(3),
    pollBackoff: doublingBackoff(5),
    fetchesResult: true,
  },
  replicate: { interval: 500, submitBackoff: immediateBackoff, pollBackoff: immediateBackoff },
  fashn: { interval: 1_000, submitBackoff: retryAfterBackoff, pollBackoff: retryAfterBackoff },
} as const satisfies Readonly<Record<string, PollingClient>>;

/** Submits one item and polls it as a polling client does. */
export async function pollItem(
  environment: SimulationEnvironment,
  item: Item,
  { interval, submitBackoff, pollBackoff, fetchesResult }: PollingClient,
): Promise<void> {
  /** Repeats a call as the client does, and 5 s after it abandoned the call as its caller does. */
  const request = async (path: string, backoff: Backoff, init?: RequestInit) => {
    for (let attempt = 0; ; attempt += 1) {
      const response = await environment.request(path, init);
      // The contract defines the response.
      if (response.ok) return (await response.json()) as { job_id?: string; status?: string };
      if (response.status !== 429) throw new Error(`Got ${response.status} instead of 200.`);
      const delay = backoff(attempt, response.headers, environment.random);
      if (delay === undefined) {
        environment.abandoned();
        attempt = -1;
      }
      await environment.clock.sleep(delay ?? 5_000);
    }
  };
  const body = JSON.stringify({ ...fieldsOf(item), wait: false });
  const { job_id: id } = await request("", submitBackoff, { method: "POST", body });
  while ((await request(`/${id}`, pollBackoff)).status !== "succeeded") {
    await environment.clock.sleep(interval);
  }
  if (fetchesResult) await request(`/${id}`, submitBackoff);
  environment.received(item);
}

type Work<Value> = (value: Value) => Promise<void>;

async function withConcurrency(items: readonly Item[], concurrency: number, work: Work<Item>) {
  const remaining = items.values();
  const worker = async (): Promise<void> => {
    for (const item of remaining) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** Strategy of a caller with many jobs. */
interface Strategy {
  readonly name: string;
  readonly service?: Service;
  readonly work: (environment: SimulationEnvironment, items: readonly Item[]) => Promise<void>;
}

function inBatch(name: string, hold: "auto" | false): Strategy {
  return {
    name: `@tryon/client batch, ${name}`,
    work: async (environment, items) => {
      const outcomes = batch(environment.createClient(), items, { input: fieldsOf, hold });
      for await (const outcome of outcomes) {
        if (outcome.error) throw outcome.error;
        environment.received(outcome.input);
      }
    },
  };
}

export const sync = inBatch("sync", "auto");
export const polling = inBatch("polling", false);

export const webhook: Strategy = {
  name: "@tryon/client, webhooks",
  work: async (environment, items) => {
    const tryon = environment.createClient();
    // The client learns the limit before 40 requests start at once.
    await tryon.account.get();
    const completions = new Map<string, PromiseWithResolvers<void>>();
    const completionOf = (jobId: string) => {
      const completion = completions.get(jobId) ?? Promise.withResolvers<void>();
      completions.set(jobId, completion);
      return completion;
    };
    environment.onCompleted((jobId) => completionOf(jobId).resolve());
    await withConcurrency(items, 40, async (item) => {
      const webhook_url = "https://shop.example/webhooks";
      const job = await tryon.submit({ ...fieldsOf(item), webhook_url });
      await completionOf(job.id).promise;
      environment.received(item);
    });
  },
};

/** The same batch against a service with rate limit headers on 429 responses only, or with none. */
export function withoutHeaders(strategy: Strategy): readonly Strategy[] {
  return (["429-only", "none"] as const).map((rateHeaders) => {
    const name = `${strategy.name}, ${rateHeaders === "none" ? "no headers" : "headers on 429"}`;
    return { ...strategy, name, service: { options: { rateHeaders } } };
  });
}

/** Other clients, which poll 20 jobs at a time. */
export const peerStrategies = Object.entries(pollingClients).map(([name, client]): Strategy => {
  return {
    name: `${name}, poll every ${client.interval} ms`,
    work: (environment, items) =>
      withConcurrency(items, 20, (item) => pollItem(environment, item, client)),
  };
});

/** Submits one job after another and waits for each. */
export const oneAtATime: Strategy = {
  name: "@tryon/client, one job at a time",
  work: async (environment, items) => {
    const tryon = environment.createClient();
    for (const item of items) {
      await (await tryon.submit(fieldsOf(item))).result();
      environment.received(item);
    }
  },
};

interface Load {
  readonly jobs: number;
  /** Requests per minute. */
  readonly limit: number;
}

export const manyJobs: Load = { jobs: 1_000, limit: 60 };
export const singleJobs: Load = { jobs: 400, limit: 1_000_000 };
export const seeds: readonly number[] = [1, 2, 3, 4, 5];

/** Runs one strategy from the first request to the last result. */
export async function simulate(
  { work, service }: Pick<Strategy, "work" | "service">,
  { jobs, limit }: Load,
  seed: number,
) {
  // Code that the client loads on demand takes real time, during which the virtual clock advances.
  await new TryOn({ apiKey: "svc_test_none", baseUrl: "https://tryon.invalid" }).inspect({});
  const times = drawRunTimes(jobs, seededRandom(seed * 3));
  const items = times.map((time, index) => ({ index, runTime: Math.round(time) }));
  const environment = new SimulationEnvironment(seed, limit, service);
  await environment.run(() => work(environment, items));
  const figures = await environment.close(jobs);
  /** Makespan in relation to the time that the submissions alone need under the limit. */
  return { ...figures, makespanRatio: figures.makespan / ((jobs / limit) * 60_000) };
}

export const simulation: Benchmark = {
  name: "simulation",
  title: "1,000 jobs under a limit of 60 requests a minute",
  method:
    "Real clients and the reference server run on a virtual clock. The latency is 20 to 60 ms, and run times are log-normal (median 12 s, p95 30 s). Runs differ in their random seed. The delay is the time between the end of a job and its result at the caller. The peers are loops that poll and back off as the sources of fal, replicate and fashn do, 20 jobs at a time. After 5 s the caller repeats a request that they abandon.",
  groups: {
    makespan: {
      title: "Makespan, ratio to the submissions alone",
      unit: "×",
      chart: true,
      goals: { [sync.name]: { max: 1.1 }, [polling.name]: { max: 1.35 } },
    },
    requests: {
      title: "Requests per job",
      unit: "requests",
      chart: true,
      goals: { [sync.name]: { max: 1.1 }, [polling.name]: { max: 1.3 } },
    },
    rateLimited: {
      title: "Responses with status 429",
      unit: "responses",
      goals: { [sync.name]: { max: 0 }, [polling.name]: { max: 0 } },
    },
    delay: { title: "Mean delay", unit: "s", goals: { [oneAtATime.name]: { max: 1.2 } } },
    polls: { title: "Polls per job", unit: "requests", goals: { [oneAtATime.name]: { max: 6 } } },
  },
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
