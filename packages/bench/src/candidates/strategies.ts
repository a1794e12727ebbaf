import type { TryOn } from "@tryon/client";
import { batch } from "@tryon/client/batch";
import type { MockOptions, WorldClock } from "@tryon/mock";

/** Job of a simulation, with the run time of the model in milliseconds. */
export interface Item {
  readonly index: number;
  readonly runTime: number;
}

/** Side of the caller in a simulation, on the virtual clock. */
interface Caller {
  readonly tryon: TryOn;
  readonly clock: WorldClock;
  readonly random: () => number;
  /** Sends a request of a client that is not ours. */
  readonly request: (path: string, init?: RequestInit) => Promise<Response>;
  /** Waits for the webhook of a job. */
  readonly completion: (jobId: string) => Promise<void>;
  /** Records that the caller has the result of an item. */
  readonly received: (item: Item) => void;
}

/** Strategy of a caller with many jobs. */
export interface Strategy {
  readonly name: string;
  readonly service?: Pick<MockOptions, "options" | "profile">;
  readonly work: (caller: Caller, items: readonly Item[]) => Promise<void>;
}

export function fieldsOf({ index, runTime }: Item) {
  return {
    person_url: "https://shop.example/me.jpg",
    garment_urls: ["https://shop.example/shirt.png"],
    // The reference server takes the run time from the prompt.
    prompt: `mock:slow=${runTime}`,
    metadata: { item: index },
  };
}

function inBatch(name: string, hold: "auto" | false): Strategy {
  return {
    name: `@tryon/client batch, ${name}`,
    work: async ({ tryon, received }, items) => {
      for await (const outcome of batch(tryon, items, { input: fieldsOf, hold })) {
        if (outcome.error) throw outcome.error;
        received(outcome.input);
      }
    },
  };
}

export const sync = inBatch("sync", "auto");
export const polling = inBatch("polling", false);

/** The same batch against a service with rate limit headers on 429 responses only, or with none. */
export function withoutHeaders(strategy: Strategy): readonly Strategy[] {
  return (["429-only", "none"] as const).map((rateHeaders) => {
    const name = `${strategy.name}, ${rateHeaders === "none" ? "no headers" : "headers on 429"}`;
    return { ...strategy, name, service: { options: { rateHeaders } } };
  });
}

type Work = (item: Item) => Promise<void>;

async function withConcurrency(items: readonly Item[], concurrency: number, work: Work) {
  const remaining = items.values();
  const worker = async (): Promise<void> => {
    for (const item of remaining) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

export const webhook: Strategy = {
  name: "@tryon/client, webhooks",
  work: async ({ tryon, completion, received }, items) => {
    // The client learns the limit before 40 requests start at once.
    await tryon.account.get();
    await withConcurrency(items, 40, async (item) => {
      const webhook_url = "https://shop.example/webhooks";
      const job = await tryon.submit({ ...fieldsOf(item), webhook_url });
      await completion(job.id);
      received(item);
    });
  },
};

/** Submits one job after another and waits for each. */
export const oneAtATime: Strategy = {
  name: "@tryon/client, one job at a time",
  work: async ({ tryon, received }, items) => {
    for (const item of items) {
      await (await tryon.submit(fieldsOf(item))).result();
      received(item);
    }
  },
};

/** Client that polls each job by itself, first at once and then in intervals of milliseconds. */
interface PollingClient {
  readonly name: string;
  readonly interval: number;
  /** Retries before the client abandons a call, for submissions and polls. */
  readonly retries: { readonly submit: number; readonly poll: number };
  /** Delay after a 429, in milliseconds. */
  readonly backoff: (attempt: number, headers: Headers, random: () => number) => number;
  /** If true, requests the result separately when the job has ended. */
  readonly fetchesResult?: boolean;
}

/** Clients of other services, as their sources behave at the compared versions. */
export const pollingClients: readonly PollingClient[] = [
  {
    name: "fal",
    interval: 500,
    retries: { submit: 3, poll: 5 },
    // Doubles from one second, with 25 % jitter, and ignores `Retry-After`.
    backoff: (attempt, _headers, random) => 1_000 * 2 ** attempt * (0.75 + random() * 0.5),
    fetchesResult: true,
  },
  {
    name: "replicate",
    interval: 500,
    retries: { submit: 5, poll: 5 },
    // Waits only for integers, and parses the delay as none.
    backoff: () => 0,
  },
  {
    name: "fashn",
    interval: 1_000,
    retries: { submit: 3, poll: 3 },
    // Obeys a `Retry-After` below one minute; otherwise waits for 2 to 6 seconds, less up to a quarter.
    backoff: (attempt, headers, random) => {
      const asked = Number.parseFloat(headers.get("retry-after") ?? "") * 1_000;
      if (asked > 0 && asked < 60_000) return asked;
      return Math.min(2 * 2 ** attempt, 6) * (1 - random() * 0.25) * 1_000;
    },
  },
];

/** Submits one item and polls it as a polling client does. */
async function pollItem(caller: Caller, item: Item, client: PollingClient): Promise<void> {
  /** Repeats a call as the client does, and 5 s after it abandoned the call as its caller does. */
  const request = async (path: string, retries: number, init?: RequestInit) => {
    for (let attempt = 0; ; attempt = attempt < retries ? attempt + 1 : 0) {
      const response = await caller.request(path, init);
      // The contract defines the response.
      if (response.ok) return (await response.json()) as { job_id?: string; status?: string };
      if (response.status !== 429) throw new Error(`Got ${response.status} instead of 200.`);
      const delay = client.backoff(attempt, response.headers, caller.random);
      await caller.clock.sleep(attempt < retries ? delay : 5_000);
    }
  };
  const { submit, poll } = client.retries;
  const body = JSON.stringify({ ...fieldsOf(item), wait: false });
  const { job_id: id } = await request("", submit, { method: "POST", body });
  while ((await request(`/${id}`, poll)).status !== "succeeded") {
    await caller.clock.sleep(client.interval);
  }
  if (client.fetchesResult) await request(`/${id}`, submit);
  caller.received(item);
}

/** Other clients, which poll 20 jobs at a time. */
export const peerStrategies = pollingClients.map((client): Strategy => {
  return {
    name: `${client.name}, poll every ${client.interval} ms`,
    work: (caller, items) => withConcurrency(items, 20, (item) => pollItem(caller, item, client)),
  };
});
