import { TryOn } from "@tryon/client";
import { createMock, type Mock, type MockOptions, type WorldClock } from "@tryon/mock";
import { createReceiver, type Receiver } from "@tryon/webhooks";

import { seededRandom } from "./seeded-random.ts";
import { tallyOf, type Course, type Tally } from "./tally.ts";

/** Something that a caller wants made. */
export interface Item {
  readonly index: number;
  /** How long the model takes for it, in milliseconds. */
  readonly runTime: number;
}

/** What a scene is set with. */
export interface SceneOptions {
  readonly seed: number;
  /** Requests a minute that the key may make. */
  readonly limit: number;
  /** How the service is, where its document leaves that open. */
  readonly service?: Pick<MockOptions, "options" | "profile"> | undefined;
}

/** The fields of a submission, as the service names them. */
type Fields = ReturnType<typeof fieldsOf>;

const apiKey = "svc_live_simulation";
const webhookSecret = "whsec_simulation";
/** Where the caller has its receiver. */
export const webhookUrl = "https://shop.example/webhooks";
const plentyOfCredits = 1_000_000;
/** Between these a request takes to the service, and its answer back, in milliseconds. */
const shortestWay = 20;
const longestWay = 60;
/** Virtual time after which work is taken for work without end, in milliseconds. */
const longestWork = 30 * 24 * 3_600_000;
/** How often it is looked whether the work has ended, in milliseconds of the scene. */
const step = 10_000;

/** The try-on of an item. Its words tell the reference server how long it is to take, so that every way of waiting gets the same jobs. */
export function fieldsOf({ index, runTime }: Item) {
  return {
    person_url: "https://shop.example/me.jpg",
    garment_urls: ["https://shop.example/shirt.png"],
    prompt: `mock:slow=${runTime}`,
    metadata: { item: index },
  };
}

/**
 * The reference server on a clock of its own, a network on the same clock that takes its time, and a count of what
 * happens. The same seed gives the same scene, however fast the machine is.
 */
export class Scene {
  readonly apiKey = apiKey;
  readonly baseUrl: string;
  readonly clock: WorldClock;
  /** Chance for whatever works in this scene. */
  readonly random: () => number;
  readonly #mock: Mock;
  readonly #key: Promise<unknown>;
  readonly #ways: () => number;
  readonly #startedAt: number;
  readonly #ends = new Map<number, number>();
  readonly #arrivals = new Map<number, number>();
  #requests = 0;
  #refusals = 0;
  #givenUp = 0;
  #receive: Receiver | undefined;

  constructor({ seed, limit, service }: SceneOptions) {
    const mock = createMock({
      clock: "manual",
      seed,
      ...service,
      // Nobody reads it.
      journalLimit: 1,
      sendWebhook: (request) => this.#deliver(request),
    });
    // The time on the way: a receiver that takes its own would hold the clock up.
    mock.faults.add({ on: "webhook", latency: (shortestWay + longestWay) / 2 });
    this.#mock = mock;
    this.#key = mock.createKey({
      token: apiKey,
      webhookSecret,
      credits: plentyOfCredits,
      rateLimitPerMinute: limit,
    });
    this.baseUrl = mock.baseUrl;
    this.clock = mock.clock;
    this.#startedAt = mock.clock.now();
    this.random = seededRandom(seed * 3 + 1);
    this.#ways = seededRandom(seed * 3 + 2);
  }

  /** The network. */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const body = init.body ? await new Response(init.body).text() : null;
    this.#requests += 1;
    await this.#travel(init.signal);
    const arrivedAt = this.clock.now();
    const answer = await this.#mock.fetch(url, { ...init, body });
    // Whole, so that nothing of it has still to be read when time moves on.
    const content = await answer.arrayBuffer();
    const { status, headers } = answer;
    if (status === 429) this.#refusals += 1;
    else if (body !== null) this.#noteEnd(body, arrivedAt);
    await this.#travel(init.signal);
    return new Response(content, { status, headers });
  };

  /** A client of ours on the network and the clock of the scene. */
  client(): TryOn {
    const { baseUrl, clock, fetch, random } = this;
    return new TryOn({ apiKey, baseUrl, clock, fetch, random });
  }

  /** Lets the caller's receiver hear of the jobs that end. */
  listen(heard: (jobId: string) => void): void {
    this.#receive = createReceiver({
      secrets: webhookSecret,
      clock: this.clock,
      onCompleted: ({ job_id: jobId }) => heard(jobId),
    });
  }

  /** Notes that the caller has the result of an item. */
  came(index: number): void {
    this.#arrivals.set(index, this.clock.now());
  }

  /** Notes that a client has given a call up. */
  gaveUp(): void {
    this.#givenUp += 1;
  }

  /** Moves time until the work has ended. */
  async run(work: () => Promise<unknown>): Promise<void> {
    await this.#key;
    const state = { ended: false };
    const end = (): void => {
      state.ended = true;
    };
    const worked = work();
    worked.then(end, end);
    while (!state.ended) {
      if (this.clock.now() - this.#startedAt > longestWork) {
        throw new Error("The work of the simulation has not ended after a month of its time.");
      }
      await this.clock.advance(step);
    }
    await worked;
  }

  /** What all came to, for this number of items; the scene is over. */
  async close(items: number): Promise<Tally> {
    const ledger = await this.#mock.ledger(apiKey);
    this.#mock.close();
    return tallyOf({
      startedAt: this.#startedAt,
      courses: Array.from({ length: items }, (_, index) => this.#courseOf(index)),
      requests: this.#requests,
      refusals: this.#refusals,
      givenUp: this.#givenUp,
      credits: plentyOfCredits - (ledger?.balance ?? Number.NaN),
    });
  }

  async #deliver(request: Request): Promise<Response> {
    return this.#receive?.(request) ?? new Response(null, { status: 404 });
  }

  #courseOf(index: number): Course {
    const endedAt = this.#ends.get(index);
    const cameAt = this.#arrivals.get(index);
    if (endedAt !== undefined && cameAt !== undefined) return { endedAt, cameAt };
    throw new Error(`Item ${index} of the simulation was not done.`);
  }

  #noteEnd(body: string, arrivedAt: number): void {
    // What is posted here is a try-on of `fieldsOf`.
    const { metadata, prompt } = JSON.parse(body) as Fields;
    const end = arrivedAt + Number(prompt.slice(prompt.indexOf("=") + 1));
    // Whatever the answer was, the job has begun, and is not begun again under its key.
    if (!this.#ends.has(metadata.item)) this.#ends.set(metadata.item, end);
  }

  async #travel(signal: AbortSignal | null | undefined): Promise<void> {
    const way = shortestWay + Math.floor(this.#ways() * (longestWay - shortestWay + 1));
    await this.clock.sleep(way);
    signal?.throwIfAborted();
  }
}
