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

import { TryOn, type TryOnOptions } from "../src/index.ts";
import type { Fetch } from "../src/http/attempt.ts";

/** The set of option values that this run is under. The suite runs once under each, see `vitest.config.ts`. */
export const profile =
  profileNames.find((name) => name === process.env["TRYON_PROFILE"]) ?? "default";
/** The same as a list, for tests that say in their names what they ran under. */
export const profiles = [profile] as const;

/** A request as the network saw it. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  readonly at: number;
}

/** A fault of the reference server, for one request. */
type ServerFault = Omit<FaultInput, "on" | "times" | "after" | "probability" | "drop">;

/** What no server can do, or not this one: it happens to a request between client and server. */
type TransportFault = (request: Sent, pass: () => Promise<Response>) => Promise<Response>;

/** What goes wrong with one request. */
export type Fault = ServerFault | TransportFault;

/** A reference server on a clock that stands still, a client on the same clock, and everything that was sent. */
export interface TestService {
  readonly mock: Mock;
  /** The network: notes every request and lets the faults have it. */
  readonly fetch: Fetch;
  readonly tryon: TryOn;
  readonly sent: readonly Sent[];
  /** Requests to submit. */
  readonly submissions: () => readonly Sent[];
  /** Handles the next requests in turn, each by one of these; `undefined` lets one pass. */
  readonly faults: (Fault | undefined)[];
  /** Moves time until the work has ended. */
  readonly run: <Result>(work: Promise<Result>) => Promise<Result>;
  /** Moves time until the work has failed, and gives the error. */
  readonly error: (work: Promise<unknown>) => Promise<unknown>;
  /** Another client of the same server. */
  readonly client: (options?: TryOnOptions) => TryOn;
}

/** A service until the end of the test. */
export function createService(
  mockOptions: MockOptions = {},
  options: TryOnOptions = {},
): TestService {
  const service = openService(mockOptions, options);
  onTestFinished(() => service.mock.close());
  return service;
}

/** A service whose server is to be closed in the end. */
export function openService(
  mockOptions: MockOptions = {},
  options: TryOnOptions = {},
): TestService {
  const mock = createMock({ clock: "manual", seed: "client", profile, ...mockOptions });
  const sent: Sent[] = [];
  const faults: (Fault | undefined)[] = [];
  const fetch: Fetch = async (url, init) => {
    const body = typeof init.body === "string" ? init.body : await textOf(init.body);
    const request: Sent = {
      method: init.method ?? "GET",
      url,
      path: new URL(url).pathname,
      headers: new Headers(init.headers),
      body,
      at: mock.clock.now(),
    };
    sent.push(request);
    const fault = faults.shift();
    const pass = (): Promise<Response> => mock.fetch(url, { ...init, body: body ?? null });
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
      fetch,
      clock: mock.clock,
      random: () => 0.5,
      ...own,
    });
  return {
    mock,
    fetch,
    sent,
    faults,
    client,
    tryon: client(options),
    submissions: () =>
      sent.filter(({ method, path }) => method === "POST" && path.endsWith("/tryon")),
    run: (work) => mock.clock.runUntil(work),
    error: (work) =>
      mock.clock.runUntil(
        work.then(
          (value) => {
            throw new Error(`It gave ${JSON.stringify(value)} where it was to fail.`);
          },
          (error: unknown) => error,
        ),
      ),
  };
}

/** A body that is sent piece by piece, whole. */
async function textOf(body: RequestInit["body"]): Promise<string | undefined> {
  return body ? new Response(body).text() : undefined;
}

/** A connection that breaks, before or after the server has done its work, or that never stands. */
export const cut = {
  before: { reset: "before" },
  after: { reset: "after" },
  // A server that is reached cannot refuse to be.
  refused: async () => {
    throw new TypeError("fetch failed", {
      cause: Object.assign(new Error("no"), { code: "ECONNREFUSED" }),
    });
  },
} as const satisfies Record<string, Fault>;

/** An answer in place of the work: a text is a page of whatever stands before the service, anything else its own JSON. */
export function respondWith(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Fault {
  // The reference server has its own Date on every answer, and a Retry-After on every 429.
  if (status === 429 || "date" in headers) return async () => answer(status, body, headers);
  return { status, body, headers, html: typeof body === "string" };
}

/** The same once the work is done. The reference server has no such fault: its `cutAfter` strikes only calls that take time. */
export function respondAfter(status: number, body: unknown): Fault {
  return async (_request, pass) => {
    await pass();
    return answer(status, body);
  };
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  const [text, type] =
    typeof body === "string" ? [body, "text/html"] : [JSON.stringify(body), "application/json"];
  return new Response(text, { status, headers: { "content-type": type, ...headers } });
}

/** No answer ever, before or after the work. The reference server always answers at last. */
export const noResponse = {
  before: () => new Promise(() => undefined),
  after: async (_request, pass) => {
    await pass();
    return new Promise(() => undefined);
  },
} as const satisfies Record<string, Fault>;

export const shirtUrl = "https://shop.example/shirt.png";
export const personUrl = "https://shop.example/ada.jpg";

/** The smallest input that is one. */
export const input = { person: personUrl, garments: [shirtUrl] } as const;

export function assetBytes(file: "person.jpg" | "shirt.png"): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(assetPath(file)));
}

/** The fields of a body that was sent. */
export function fieldsOf(sent: Sent | undefined): Record<string, unknown> {
  // Every body of the client is a JSON object.
  return JSON.parse(sent?.body ?? "{}") as Record<string, unknown>;
}
