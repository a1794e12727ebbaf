import { setTimeout } from "node:timers/promises";

import { createMock, type Mock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { onTestFinished } from "vitest";

import { itemHeader, timeNow, type FastTime, type Moment } from "./moments.ts";

/** Kills the program for an item, and resolves when it is dead, whatever it was killed for in the end. */
export type Strike = (id: string) => Promise<void>;

/** A reference server over HTTP, on a fast clock, which knows when a submission is to be answered by death. */
export interface DeadlyService {
  readonly url: string;
  readonly apiKey: string;
  readonly time: FastTime;
  /** The items of which a submission has arrived, or a part of it. */
  readonly arrived: ReadonlySet<string>;
  /** Puts its clock forward, and that of the programs that are started from now on. */
  putForward(by: number): Promise<void>;
  /** Resolves when the list shows that an item was charged for. */
  isCharged(id: string): Promise<void>;
  /** How often each item was charged for. */
  charges(): Promise<ReadonlyMap<string, number>>;
}

const speed = 10;

/** Serves until the end of the test. */
export async function deadlyService(
  options: MockOptions,
  momentOf: (id: string) => Moment | undefined,
  strike: Strike,
): Promise<DeadlyService> {
  const mock = createMock({
    clock: "manual",
    latency: 3_000,
    ...options,
  });
  const { token: apiKey } = await mock.createKey({
    credits: 1_000_000,
    rateLimitPerMinute: 1_000_000,
  });
  const time: FastTime = { start: mock.clock.now(), begun: Date.now(), speed, ahead: 0 };
  const arrived = new Set<string>();
  const authorization = `Bearer ${apiKey}`;

  const skus = async (): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>();
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? "" : `&cursor=${cursor}`;
      const answer = await mock.fetch(`${mock.baseUrl}/api/v1/tryon?limit=50${query}`, {
        headers: { authorization },
      });
      // As the contract has it.
      const page = (await answer.json()) as JobsPage;
      for (const { job_id, metadata } of page.jobs) found.set(job_id, metadata.sku);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return found;
  };

  const charges = async (): Promise<ReadonlyMap<string, number>> => {
    const [jobs, ledger] = [await skus(), await mock.ledger(apiKey)];
    const counts = new Map<string, number>();
    for (const { credits, jobId = "" } of ledger?.entries ?? []) {
      const sku = jobs.get(jobId);
      if (credits < 0) counts.set(sku ?? jobId, (counts.get(sku ?? jobId) ?? 0) + 1);
    }
    return counts;
  };

  // A fresh job can be missing from the list for a moment.
  const isCharged = async (id: string): Promise<void> => {
    while (!(await charges()).has(id)) await setTimeout(5);
  };

  const submit = async (request: Request, id: string): Promise<Response> => {
    arrived.add(id);
    const moment = momentOf(id);
    if (moment === "a part has arrived") {
      await request.body?.getReader().read();
      await strike(id);
      return new Response(null, { status: 500 });
    }
    // Without its connection, which is about to break.
    const { url, method, headers } = request;
    const whole = new Request(url, { method, headers, body: await request.arrayBuffer() });
    if (moment === "it has arrived and is lost" || moment === "it has arrived and is made later") {
      await strike(id);
      if (moment === "it has arrived and is lost") return new Response(null, { status: 500 });
    }
    const answer = mock.fetch(whole);
    if (moment === "it is being made") {
      await isCharged(id);
      await strike(id);
    }
    await answer;
    if (moment === "the answer is under way") await strike(id);
    return answer;
  };

  const server = await serve({
    fetch: async (request) => {
      if (!(request instanceof Request)) throw new TypeError("A server gets requests.");
      const id = request.headers.get(itemHeader);
      return id === null ? mock.fetch(request) : submit(request, id);
    },
  });

  const open = new AbortController();
  const running = keepTime(mock, time, open.signal);
  onTestFinished(async () => {
    open.abort();
    await running;
    mock.close();
    await server.close();
  });
  const putForward = async (by: number): Promise<void> => {
    time.ahead += by;
    const until = timeNow(time);
    while (mock.clock.now() < until) await setTimeout(5);
  };
  return { url: server.url, apiKey, time, arrived, putForward, isCharged, charges };
}

async function keepTime(mock: Mock, time: FastTime, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await mock.clock.advance(Math.max(0, timeNow(time) - mock.clock.now()));
    await setTimeout(20);
  }
}

interface JobsPage {
  readonly jobs: readonly {
    readonly job_id: string;
    readonly metadata: { readonly sku: string };
  }[];
  readonly next_cursor: string | null;
}
