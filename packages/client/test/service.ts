import { readFileSync } from "node:fs";

import {
  createMock,
  profileNames,
  type FaultInput,
  type Mock,
  type MockOptions,
} from "@tryon/mock";
import { assetPath } from "@tryon/test-kit/repository";
import { onTestFinished } from "vitest";

import { PageClient, TryOn, type Clock, type TryOnOptions } from "../src/index.ts";
import type { Fetch } from "../src/config/options.ts";
import { createMemoryAgent, type UnsentRequest } from "./memory-agent.ts";

/** Option profile of this run. The suite runs once under each, see `vitest.config.ts`. */
export const profile =
  profileNames.find((name) => name === process.env["TRYON_PROFILE"]) ?? "default";
/** The same as a list, for titles that name the profile. */
export const profiles = [profile] as const;

/** If true, clients of this run send their requests over `node:http`, see `vitest.config.ts`. */
export const usesNode = process.env["TRYON_TRANSPORT"] === "node";
/** Option of clients that send requests to a real server. */
export const transport: TryOnOptions["transport"] = usesNode ? undefined : "fetch";

export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  readonly at: number;
}

/** Fault of the reference server, for one request. */
type ServerFault = Omit<FaultInput, "on" | "times" | "after" | "probability" | "drop">;

/** Fault between client and server, or one that the reference server does not have. */
type TransportFault = (request: Sent, pass: () => Promise<Response>) => Promise<Response>;

export type Fault = ServerFault | TransportFault;

/** Opens a service, and closes it at the end of the test. */
export function createService(mockOptions: MockOptions = {}, options: TryOnOptions = {}) {
  const service = openService(mockOptions, options);
  onTestFinished(() => service.mock.close());
  return service;
}

export type TestService = ReturnType<typeof openService>;

/**
 * Opens a service that the caller closes: a reference server on a manual clock, a client on the same clock, and the
 * requests of the client.
 */
export function openService(
  mockOptions: MockOptions = {},
  options: TryOnOptions = {},
  keepAlive = false,
) {
  const mock = createMock({ clock: "manual", seed: "client", profile, ...mockOptions });
  const agents: ReturnType<typeof createMemoryAgent>[] = [];
  const sent: Sent[] = [];
  /** Faults of the next requests, in order; `undefined` passes a request on. */
  const faults: (Fault | undefined)[] = [];
  const record = (url: string, init: RequestInit, body: string | undefined): Sent => {
    const { method = "GET" } = init;
    const headers = new Headers(init.headers);
    const path = new URL(url).pathname;
    const request: Sent = { method, url, path, headers, body, at: mock.clock.now() };
    sent.push(request);
    return request;
  };
  /** Takes the fault that refuses the connection of a request, if it is the next one. */
  const refuses = ({ host, path, method, headers }: UnsentRequest): boolean => {
    if (faults[0] !== cut.refused) return false;
    faults.shift();
    record(`https://${host}${path}`, { method, headers }, undefined);
    return true;
  };
  /** Returns options of a client whose requests get to a function, over the transport of this run. */
  const network = (to: Fetch): Pick<TryOnOptions, "fetch" | "agent" | "allowLiveKey"> => {
    if (!usesNode) return { fetch: to };
    const hasFaults = to !== mock.fetch;
    const settings = { clock: mock.clock, keepAlive, refuses: hasFaults ? refuses : () => false };
    const agent = createMemoryAgent(to, settings);
    agents.push(agent);
    return { fetch: undefined, agent, allowLiveKey: true };
  };
  /** Network of the client. Records every request and applies the faults. */
  const fetch: Fetch = async (url, init) => {
    const body = typeof init.body === "string" ? init.body : await textOf(init.body);
    const request = record(url, init, body);
    const fault = faults.shift();
    const pass = () => mock.fetch(url, { ...init, body: body ?? null });
    if (typeof fault === "function") return fault(request, pass);
    if (fault !== undefined) {
      mock.faults.add({ on: `${request.method} ${request.path}`, times: 1, ...fault });
    }
    return pass();
  };
  const client = (own: TryOnOptions = {}): TryOn =>
    new TryOn({
      apiKey: mock.keys.live,
      baseUrl: mock.baseUrl,
      clock: mock.clock,
      random: () => 0.5,
      ...own,
      ...network(own.fetch ?? fetch),
    });
  /** Creates a client for pages. Instead of a proxy, its `fetch` adds the API key. Options of `TryOn` alone are left out. */
  const pageClient = (own: TryOnOptions = {}): PageClient => {
    const { keyInMetadata: _keyInMetadata, ...rest } = own;
    const send = own.fetch ?? fetch;
    const authorization = `Bearer ${mock.keys.live}`;
    return new PageClient({
      clock: mock.clock,
      random: () => 0.5,
      ...rest,
      baseUrl: mock.baseUrl,
      fetch: (url, init) =>
        send(
          url,
          url.startsWith(`${mock.baseUrl}/api/`) ? withHeader(init, { authorization }) : init,
        ),
    });
  };
  const submissions = () =>
    sent.filter(({ method, path }) => method === "POST" && path.endsWith("/tryon"));
  return {
    mock,
    fetch,
    sent,
    faults,
    client,
    pageClient,
    network,
    tryon: client(options),
    /** Ends the server, and frees its connections, which node:http would keep. */
    close: (): void => {
      mock.close();
      for (const agent of agents) agent.destroy();
    },
    submissions,
    keys: () => new Set(submissions().map(({ headers }) => headers.get("idempotency-key"))),
    bodies: () => new Set(submissions().flatMap(({ body }) => body ?? [])),
    /** Returns the time of each request since the first one. */
    times: () => sent.map(({ at }) => at - (sent[0]?.at ?? 0)),
    /** Returns the credits of the live key, 1,000 at the start. */
    balance: async () => (await mock.ledger(mock.keys.live))?.balance,
    /** Advances time until the work has ended. */
    run: <Result>(work: Promise<Result>) => mock.clock.runUntil(work),
    error: (work: Promise<unknown>) => mock.clock.runUntil(failure(work)),
  };
}

function withHeader(init: RequestInit, header: Record<string, string>): RequestInit {
  return { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...header } };
}

/** Returns the error of the work, and throws if there is none. */
export function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => {
      throw new Error(`Expected an error, but got ${JSON.stringify(value)}.`);
    },
    (error: unknown) => error,
  );
}

/** Returns a function that reports if the work has ended, with or without an error. */
export function trackEnd(work: Promise<unknown>): () => boolean {
  let ended = false;
  const end = (): void => {
    ended = true;
  };
  work.then(end, end);
  return () => ended;
}

/** Creates a clock with the timers of another one, whose time can be shifted. */
export function shiftedClock(clock: Mock["clock"]) {
  let offset = 0;
  const shifted: Clock = {
    now: () => clock.now() + offset,
    setTimeout: (callback, delay) => clock.setTimeout(callback, delay),
    // Its timers come from the line above.
    clearTimeout: (timer) => clock.clearTimeout(timer as ReturnType<typeof clock.setTimeout>),
  };
  return { shifted, shift: (milliseconds: number) => void (offset += milliseconds) };
}

/** Creates the clock of a machine whose date can be set and which can sleep, by the clock of a server. */
export function machineClock(clock: Mock["clock"]) {
  let offset = 0;
  let slept = 0;
  let asleepSince: number | undefined;
  let awake: Promise<void> | undefined;
  const monotonic = (): number => (asleepSince ?? clock.monotonic()) - slept;
  /** Sets a timer of the server, which fires once as much time of the machine has passed. */
  const setTimer = (callback: () => void, dueAt: number): { stop: () => void } => {
    let timer: ReturnType<typeof clock.setTimeout> | undefined;
    let isStopped = false;
    const fire = (): void => {
      if (isStopped) return;
      if (awake) void awake.then(fire);
      else if (monotonic() < dueAt) wait();
      else callback();
    };
    // Whole milliseconds, as timers of a platform.
    const wait = (): void => void (timer = clock.setTimeout(fire, Math.ceil(dueAt - monotonic())));
    wait();
    return {
      stop: () => {
        isStopped = true;
        clock.clearTimeout(timer);
      },
    };
  };
  const machine: Clock = {
    now: () => clock.now() + offset,
    monotonic,
    setTimeout: (callback, delay) => setTimer(callback, monotonic() + delay),
    // Its timers come from the line above.
    clearTimeout: (timer) => (timer as ReturnType<typeof setTimer> | undefined)?.stop(),
  };
  /** Stops the timers and the monotonic time, while the server goes on. */
  const fallAsleep = (milliseconds: number): void => {
    if (awake) return;
    const since = (asleepSince = clock.monotonic());
    awake = new Promise((resolve) => {
      clock.setTimeout(() => {
        slept += clock.monotonic() - since;
        asleepSince = undefined;
        awake = undefined;
        resolve();
      }, milliseconds);
    });
  };
  return {
    machine,
    /** Sets the date of the machine forward, or back. */
    setDate: (milliseconds: number) => void (offset += milliseconds),
    fallAsleep,
    sleep: async (milliseconds: number): Promise<void> => {
      fallAsleep(milliseconds);
      await clock.advance(milliseconds);
    },
    awake: async (): Promise<void> => awake,
    /** Network of the machine, which gets the responses that arrive in its sleep after it. */
    network:
      (fetch: Fetch): Fetch =>
      async (...request) => {
        try {
          return await fetch(...request);
        } finally {
          await awake;
        }
      },
  };
}

/** Reads a body, also one that is a stream. */
async function textOf(body: RequestInit["body"]): Promise<string | undefined> {
  return body ? new Response(body).text() : undefined;
}

/** Connection that is reset before or after the work of the server, or refused. */
export const cut = {
  before: { reset: "before" },
  after: { reset: "after" },
  refused: async () => {
    throw new TypeError("fetch failed", {
      cause: Object.assign(new Error("no"), { code: "ECONNREFUSED" }),
    });
  },
} as const satisfies Record<string, Fault>;

/** Responds instead of the service. A text body is the HTML of a gateway, any other body is JSON of the service. */
export function respondWith(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Fault {
  // The reference server sets its own Date, and Retry-After on every 429.
  if (status === 429 || "date" in headers) return async () => createResponse(status, body, headers);
  return { status, body, headers, html: typeof body === "string" };
}

/** The same after the work. `cutAfter` of the reference server applies only to calls that take time. */
export function respondAfter(status: number, body: unknown): Fault {
  return async (_request, pass) => {
    await pass();
    return createResponse(status, body);
  };
}

function createResponse(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Response {
  const [text, type] =
    typeof body === "string" ? [body, "text/html"] : [JSON.stringify(body), "application/json"];
  return new Response(text, { status, headers: { "content-type": type, ...headers } });
}

/** Never responds, before or after the work. The reference server always responds in the end. */
export const noResponse = {
  before: () => new Promise(() => undefined),
  after: async (_request, pass) => {
    await pass();
    return new Promise(() => undefined);
  },
} as const satisfies Record<string, Fault>;

/** Sends the headers and one byte, and never ends. */
export const stalledBody: Fault = async () =>
  new Response(new ReadableStream({ start: (body) => body.enqueue(Uint8Array.of(123)) }));

export const shirtUrl = "https://shop.example/shirt.png";
export const personUrl = "https://shop.example/ada.jpg";

export const input = { person: personUrl, garments: [shirtUrl] } as const;

/** A PNG of one pixel. */
export const smallPng: Uint8Array<ArrayBuffer> = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "base64",
  ),
);

export function assetBytes(file: "person.jpg" | "shirt.png"): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(assetPath(file)));
}

export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

export function fieldsOf(sent: Sent | undefined): Record<string, unknown> {
  // Every body of the client is a JSON object.
  return JSON.parse(sent?.body ?? "{}") as Record<string, unknown>;
}
