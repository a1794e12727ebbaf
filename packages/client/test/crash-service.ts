import { setTimeout } from "node:timers/promises";

import { createMock, type Mock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { onTestFinished } from "vitest";

import { itemHeader, timeNow, type FastTime, type CrashPoint } from "./crash-points.ts";

/** Kills the program for an item. Resolves once it has ended. */
export type KillFor = (id: string) => Promise<void>;

/** Reference server over HTTP with a fast clock, which kills the program at the crash points of items. */
export interface CrashService {
  readonly url: string;
  readonly apiKey: string;
  readonly time: FastTime;
  /** Items whose submission has arrived at least partially. */
  readonly arrived: ReadonlySet<string>;
  /** Advances its clock and that of programs started later. */
  advance(by: number): Promise<void>;
  /** Resolves once an item has been charged. */
  isCharged(id: string): Promise<void>;
  /** Returns the number of charges per item. */
  charges(): Promise<ReadonlyMap<string, number>>;
}

const speed = 10;

/** Starts a server until the end of the test. */
export async function crashService(
  options: MockOptions,
  crashPointOf: (id: string) => CrashPoint | undefined,
  killFor: KillFor,
): Promise<CrashService> {
  const mock = createMock({
    clock: "manual",
    latency: 3_000,
    ...options,
  });
  const { token: apiKey } = await mock.createKey({
    credits: 1_000_000,
    rateLimitPerMinute: 1_000_000,
  });
  const time: FastTime = { start: mock.clock.now(), startedAt: Date.now(), speed, offset: 0 };
  const arrived = new Set<string>();
  const authorization = `Bearer ${apiKey}`;

  const skus = async (): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>();
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? "" : `&cursor=${cursor}`;
      const response = await mock.fetch(`${mock.baseUrl}/api/v1/tryon?limit=50${query}`, {
        headers: { authorization },
      });
      // The contract defines this type.
      const page = (await response.json()) as JobsPage;
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

  // A fresh job can be missing from the list briefly.
  const isCharged = async (id: string): Promise<void> => {
    while (!(await charges()).has(id)) await setTimeout(5);
  };

  const submit = async (request: Request, id: string): Promise<Response> => {
    arrived.add(id);
    const crashPoint = crashPointOf(id);
    if (crashPoint === "during the upload") {
      await request.body?.getReader().read();
      await killFor(id);
      return new Response(null, { status: 500 });
    }
    // A copy, since the connection is about to close.
    const { url, method, headers } = request;
    const whole = new Request(url, { method, headers, body: await request.arrayBuffer() });
    if (
      crashPoint === "after the upload, request lost" ||
      crashPoint === "after the upload, job created later"
    ) {
      await killFor(id);
      if (crashPoint === "after the upload, request lost")
        return new Response(null, { status: 500 });
    }
    const response = mock.fetch(whole);
    if (crashPoint === "after the charge") {
      await isCharged(id);
      await killFor(id);
    }
    await response;
    if (crashPoint === "before the response") await killFor(id);
    return response;
  };

  const server = await serve({
    fetch: async (request) => {
      if (!(request instanceof Request)) throw new TypeError("A server gets requests.");
      const id = request.headers.get(itemHeader);
      return id === null ? mock.fetch(request) : submit(request, id);
    },
  });

  const open = new AbortController();
  const running = runClock(mock, time, open.signal);
  onTestFinished(async () => {
    open.abort();
    await running;
    mock.close();
    await server.close();
  });
  const advance = async (by: number): Promise<void> => {
    time.offset += by;
    const until = timeNow(time);
    while (mock.clock.now() < until) await setTimeout(5);
  };
  return { url: server.url, apiKey, time, arrived, advance, isCharged, charges };
}

async function runClock(mock: Mock, time: FastTime, signal: AbortSignal): Promise<void> {
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
