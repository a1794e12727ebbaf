import { TryOn } from "@tryon/client";
import { batch } from "@tryon/client/batch";
import { createMock, type MockOptions } from "@tryon/mock";
import { createReceiver, type Receiver } from "@tryon/webhooks";

import type { Benchmark } from "../benchmark.ts";

const apiKey = "svc_live_simulation";
const webhookSecret = "whsec_simulation";
const webhookUrl = "https://shop.example/webhooks";
const startCredits = 1_000_000;
/** Latency of one direction, in milliseconds. */
const latency = { min: 20, max: 60 };
const maxDuration = 30 * 24 * 3_600_000;
/** Step of the virtual clock, in milliseconds. */
const clockStep = 10_000;

/** Job of a simulation. */
interface Item {
  readonly index: number;
  /** Run time of the model, in milliseconds. */
  readonly runTime: number;
}

interface Outcome {
  readonly endedAt: number;
  readonly receivedAt: number;
}

interface Counts {
  readonly startedAt: number;
  readonly outcomes: readonly Outcome[];
  readonly requests: number;
  /** Responses with status 429. */
  readonly rateLimited: number;
  /** Calls that a client gave up after a 429, and that its caller repeated. */
  readonly abandoned: number;
  readonly credits: number;
}

/** Figures of a simulation; times in milliseconds. */
export interface Counters extends Pick<Counts, "rateLimited" | "abandoned" | "credits"> {
  /** Time from the start to the last result. */
  readonly makespan: number;
  readonly requestsPerJob: number;
  /** Mean time between the end of a job and its result at the caller. */
  readonly meanDelay: number;
}

export function countersOf({ startedAt, outcomes, requests, ...counts }: Counts): Counters {
  if (outcomes.length === 0) throw new RangeError("A simulation needs at least one job.");
  const delay = outcomes.reduce((sum, { receivedAt, endedAt }) => sum + receivedAt - endedAt, 0);
  return {
    ...counts,
    makespan: Math.max(...outcomes.map(({ receivedAt }) => receivedAt)) - startedAt,
    requestsPerJob: requests / outcomes.length,
    meanDelay: delay / outcomes.length,
  };
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

/** Run times of the simulated model, in milliseconds. */
export const usualRunTimes = { median: 12_000, p95: 30_000 };

/** Draws log-normal run times, in whole milliseconds. */
export function drawRunTimes(
  count: number,
  { median, p95 }: typeof usualRunTimes,
  random: () => number,
): readonly number[] {
  const deviationsToP95 = 1.644_853_626_951_472_2;
  const deviation = Math.log(p95 / median) / deviationsToP95;
  // Box–Muller transform.
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: count }, () => Math.round(median * Math.exp(deviation * normal())));
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

/** Reference server and network on one virtual clock. The same seed has the same result on any machine. */
export class SimulationEnvironment {
  readonly random: () => number;
  readonly #latency: () => number;
  readonly #mock;
  readonly #key: Promise<unknown>;
  readonly #startedAt: number;
  readonly #endedAt = new Map<number, number>();
  readonly #receivedAt = new Map<number, number>();
  #requests = 0;
  #rateLimited = 0;
  #abandoned = 0;
  #receiver: Receiver | undefined;

  /** @param limit - requests per minute of the key. */
  constructor(seed: number, limit: number, service: Service = {}) {
    this.#mock = createMock({
      clock: "manual",
      seed,
      ...service,
      journalLimit: 1,
      sendWebhook: async (request) =>
        this.#receiver?.(request) ?? new Response(null, { status: 404 }),
    });
    this.#mock.faults.add({ on: "webhook", latency: (latency.min + latency.max) / 2 });
    this.#key = this.#mock.createKey({
      token: apiKey,
      webhookSecret,
      credits: startCredits,
      rateLimitPerMinute: limit,
    });
    this.#startedAt = this.clock.now();
    this.random = seededRandom(seed * 3 + 1);
    this.#latency = seededRandom(seed * 3 + 2);
  }

  get clock() {
    return this.#mock.clock;
  }

  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const body = init.body ? await new Response(init.body).text() : null;
    this.#requests += 1;
    await this.#transfer(init.signal);
    const arrivedAt = this.clock.now();
    const response = await this.#mock.fetch(url, { ...init, body });
    // The clock must not move on before the body is complete.
    const content = await response.arrayBuffer();
    const { status, headers } = response;
    if (status === 429) this.#rateLimited += 1;
    else if (body !== null) this.#recordEnd(body, arrivedAt);
    await this.#transfer(init.signal);
    return new Response(content, { status, headers });
  };

  /** Sends a request of a client that is not ours. */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
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

  /** Records that a client gave up a call. */
  abandoned(): void {
    this.#abandoned += 1;
  }

  /** Advances the clock until the work is done. */
  async run(work: () => Promise<unknown>): Promise<void> {
    await this.#key;
    const state = { done: false };
    const working = work().finally(() => {
      state.done = true;
    });
    working.catch(() => undefined);
    while (!state.done) {
      if (this.clock.now() - this.#startedAt > maxDuration) {
        throw new Error("The simulation has not ended after 30 virtual days.");
      }
      await this.clock.advance(clockStep);
    }
    await working;
  }

  /** Closes the environment and returns its counters. */
  async close(jobs: number): Promise<Counters> {
    const ledger = await this.#mock.ledger(apiKey);
    this.#mock.close();
    const outcomes = Array.from({ length: jobs }, (_, index): Outcome => {
      const endedAt = this.#endedAt.get(index);
      const receivedAt = this.#receivedAt.get(index);
      if (endedAt !== undefined && receivedAt !== undefined) return { endedAt, receivedAt };
      throw new Error(`Item ${index} of the simulation has no result.`);
    });
    return countersOf({
      startedAt: this.#startedAt,
      outcomes,
      requests: this.#requests,
      rateLimited: this.#rateLimited,
      abandoned: this.#abandoned,
      credits: startCredits - (ledger?.balance ?? Number.NaN),
    });
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

/** Delay after a 429, in milliseconds; undefined where the client gives up. */
type Backoff = (attempt: number, headers: Headers, random: () => number) => number | undefined;

/** Behavior of a client that polls each job by itself. */
export interface PollingClient {
  /** Delay between polls, in milliseconds. The first poll follows the submission at once. */
  readonly interval: number;
  readonly submitBackoff: Backoff;
  readonly pollBackoff: Backoff;
  /** If true, requests the result separately when the job has ended. */
  readonly fetchesResult?: boolean;
}

/** Doubles from one second, with 25 % jitter, and ignores `Retry-After`. */
function doublingBackoff(retries: number, max: number): Backoff {
  return (attempt, _headers, random) => {
    if (attempt >= retries) return undefined;
    const delay = Math.min(1_000 * 2 ** attempt, max);
    return delay + delay * 0.25 * (random() * 2 - 1);
  };
}

/** Retries five times without a delay: the parsed delay is not an integer, and only integers are waited for. */
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
    submitBackoff: doublingBackoff(3, 60_000),
    pollBackoff: doublingBackoff(5, 30_000),
    fetchesResult: true,
  },
  replicate: { interval: 500, submitBackoff: immediateBackoff, pollBackoff: immediateBackoff },
  fashn: { interval: 1_000, submitBackoff: retryAfterBackoff, pollBackoff: retryAfterBackoff },
} as const satisfies Readonly<Record<string, PollingClient>>;

/** Delay before a caller repeats a call that its client gave up, in milliseconds. */
const callerDelay = 5_000;

/** Submits one item and polls it as a polling client does. */
export async function pollItem(
  environment: SimulationEnvironment,
  item: Item,
  client: PollingClient,
): Promise<void> {
  const body = JSON.stringify({ ...fieldsOf(item), wait: false });
  const init = { method: "POST", body };
  const { job_id: id } = await requestUntilDone(environment, "", client.submitBackoff, init);
  for (;;) {
    const { status } = await requestUntilDone(environment, `/${id}`, client.pollBackoff);
    if (status === "succeeded") break;
    await environment.clock.sleep(client.interval);
  }
  if (client.fetchesResult) await requestUntilDone(environment, `/${id}`, client.submitBackoff);
  environment.received(item);
}

async function requestUntilDone(
  environment: SimulationEnvironment,
  path: string,
  backoff: Backoff,
  init?: RequestInit,
) {
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
    await environment.clock.sleep(delay ?? callerDelay);
  }
}

async function withConcurrency(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const remaining = items.values();
  const worker = async (): Promise<void> => {
    for (const item of remaining) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** Strategy of a caller with many jobs. */
export interface Strategy {
  readonly name: string;
  readonly service?: Service;
  readonly work: (environment: SimulationEnvironment, items: readonly Item[]) => Promise<void>;
}

function inBatch(hold: "auto" | false): Strategy["work"] {
  return async (environment, items) => {
    const outcomes = batch(environment.createClient(), items, { input: fieldsOf, hold });
    for await (const outcome of outcomes) {
      if (outcome.error) throw outcome.error;
      environment.received(outcome.input);
    }
  };
}

async function byWebhook(environment: SimulationEnvironment, items: readonly Item[]) {
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
    const job = await tryon.submit({ ...fieldsOf(item), webhook_url: webhookUrl });
    await completionOf(job.id).promise;
    environment.received(item);
  });
}

export const sync: Strategy = { name: "@tryon/client batch, sync", work: inBatch("auto") };
export const polling: Strategy = { name: "@tryon/client batch, polling", work: inBatch(false) };
export const webhook: Strategy = { name: "@tryon/client, webhooks", work: byWebhook };

/** Batches against a service with rate limit headers on 429 responses only, or with none. */
export const strategiesWithoutHeaders = (["429-only", "none"] as const).flatMap((rateHeaders) =>
  [sync, polling].map((strategy) => ({
    ...strategy,
    name: `${strategy.name}, ${rateHeaders === "none" ? "no rate limit headers" : "headers on 429 only"}`,
    service: { options: { rateHeaders } },
    isSync: strategy === sync,
  })),
);

/** Other clients, which poll 20 jobs at a time. */
export const peerStrategies: readonly Strategy[] = Object.entries(pollingClients).map(
  ([name, client]) => ({
    name: `${name}, poll every ${client.interval} ms`,
    work: (environment, items) =>
      withConcurrency(items, 20, (item) => pollItem(environment, item, client)),
  }),
);

/** Submits one job after another and waits for each. */
export async function oneAtATime(environment: SimulationEnvironment, items: readonly Item[]) {
  const tryon = environment.createClient();
  for (const item of items) {
    const job = await tryon.submit(fieldsOf(item));
    await job.result();
    environment.received(item);
  }
}

/** Submits each job with a new client, which has learned nothing yet. */
async function newClientEach(environment: SimulationEnvironment, items: readonly Item[]) {
  for (const item of items) await oneAtATime(environment, [item]);
}

interface Load {
  readonly jobs: number;
  /** Requests per minute. */
  readonly limit: number;
  readonly runTimes?: typeof usualRunTimes;
}

export const manyJobs: Load = { jobs: 1_000, limit: 60 };
export const singleJobs: Load = { jobs: 400, limit: 1_000_000 };
export const seeds: readonly number[] = [1, 2, 3, 4, 5];

/** Runs one strategy from the first request to the last result. */
export async function simulate(
  { work, service }: Pick<Strategy, "work" | "service">,
  { jobs, limit, runTimes = usualRunTimes }: Load,
  seed: number,
): Promise<Counters> {
  // Code that the client loads on demand takes real time, during which the virtual clock would advance.
  await new TryOn({ apiKey: "svc_test_none", baseUrl: "https://tryon.invalid" }).inspect({});
  const times = drawRunTimes(jobs, runTimes, seededRandom(seed * 3));
  const items = times.map((runTime, index) => ({ index, runTime }));
  const environment = new SimulationEnvironment(seed, limit, service);
  await environment.run(() => work(environment, items));
  return environment.close(jobs);
}

/** Time that the submissions alone need under the limit, in milliseconds. */
export function submissionTime({ jobs, limit }: Load): number {
  return (jobs / limit) * 60_000;
}

const single = "one job at a time";
const [slow, fast] = [3, 1 / 3].map((factor) => ({
  median: usualRunTimes.median * factor,
  p95: usualRunTimes.p95 * factor,
}));
const singleRows = [
  [single, oneAtATime, usualRunTimes],
  [`${single}, service 3 × slower`, oneAtATime, slow],
  [`${single}, service 3 × faster`, oneAtATime, fast],
  [`${single}, new client each`, newClientEach, usualRunTimes],
] as const;

export const simulation: Benchmark = {
  name: "simulation",
  title: "1,000 jobs under a limit of 60 requests a minute",
  method:
    "Real clients and the reference server run on a virtual clock, with a latency of 20 to 60 ms and log-normal run times (median 12 s, p95 30 s); runs differ in their random seed. The delay is the time between the end of a job and its result at the caller. The peers are loops that poll and back off as the sources of fal, replicate and fashn do, 20 jobs at a time; the caller repeats what they give up after 5 s.",
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
    delay: { title: "Mean delay", unit: "s", goals: { [single]: { max: 1.2 } } },
    polls: { title: "Polls per job", unit: "requests", goals: { [single]: { max: 6 } } },
  },
  async *measure() {
    for (const seed of seeds) {
      // The peers send so many requests that one run of theirs has to do.
      const others = seed === seeds[0] ? [...strategiesWithoutHeaders, ...peerStrategies] : [];
      for (const strategy of [sync, polling, webhook, ...others]) {
        const counters = await simulate(strategy, manyJobs, seed);
        const makespan = counters.makespan / submissionTime(manyJobs);
        yield {
          makespan: { [strategy.name]: makespan },
          requests: { [strategy.name]: counters.requestsPerJob },
          rateLimited: { [strategy.name]: counters.rateLimited },
          delay: { [strategy.name]: counters.meanDelay / 1_000 },
        };
      }
      for (const [name, work, runTimes = usualRunTimes] of singleRows) {
        const load = { ...singleJobs, runTimes };
        const { meanDelay, requestsPerJob } = await simulate({ work }, load, seed);
        yield { delay: { [name]: meanDelay / 1_000 }, polls: { [name]: requestsPerJob - 1 } };
      }
    }
  },
};
