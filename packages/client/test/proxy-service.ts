import { createMock, type MockOptions } from "@tryon/mock";
import { serve } from "@tryon/mock/node";
import { onTestFinished } from "vitest";

import { createProxy, type ProxyError, type ProxyOptions } from "../src/proxy/index.ts";
import { PageClient, TryOn, type TryOnOptions } from "../src/index.ts";
import type { Fetch } from "../src/config/options.ts";
import { toNodeHandler } from "../src/node/index.ts";
import {
  createService,
  failure,
  personUrl,
  profile,
  shirtUrl,
  trackEnd,
  transport,
} from "./service.ts";

export type ProxyHandler = (request: Request) => Promise<Response>;

export const site = "https://shop.example";
export const mount = `${site}/api/tryon`;
/** Submission, as a page sends it. */
export const tryOn = { person_url: personUrl, garment_urls: [shirtUrl], wait: false };
export const jsonHeaders = { "content-type": "application/json", "idempotency-key": "key-1" };
/** Every option that `createProxy` needs, without a network. */
export const validOptions = {
  apiKey: "svc_test_a",
  baseUrl: "https://tryon.example",
  authorize: () => null,
  fetch: async () => new Response(),
};

/** Creates a site with a proxy of the reference server, and pages that use it. */
export function createProxyService(
  options: Partial<ProxyOptions> = {},
  mockOptions: MockOptions = {},
  service = createService(mockOptions),
) {
  const { mock } = service;
  /** Errors that `onError` received. */
  const reported: ProxyError[] = [];
  const responses: Response[] = [];
  /** Requests in the proxy, apart from those that wait for the service. Signatures take real time. */
  let running = 0;
  const isRunning = (): boolean => running > 0;
  const network: Fetch = async (url, init) => {
    running -= 1;
    let resume = (): void => {
      running += 1;
      resume = () => undefined;
    };
    // After an abort the proxy runs again, with or without a response.
    init.signal?.addEventListener("abort", () => resume());
    try {
      return await (options.fetch ?? service.fetch)(url, init);
    } finally {
      resume();
    }
  };
  const untracked = createProxy({
    apiKey: mock.keys.live,
    baseUrl: mock.baseUrl,
    // Authenticates users by the cookie `user=…`.
    authorize: ({ headers }) => {
      const [, id] = /^user=([^;]+)/.exec(headers.get("cookie") ?? "") ?? [];
      return id !== undefined && { id };
    },
    clock: mock.clock,
    onError: (error) => reported.push(error),
    ...options,
    ...service.network(network),
  });
  const proxy: ProxyHandler = async (request) => {
    running += 1;
    try {
      return await untracked(request);
    } finally {
      running -= 1;
    }
  };
  /** Sends requests of a user's page to the proxy, with the headers of a browser, and others to the network. */
  const browser =
    (user: string, through: ProxyHandler = proxy): Fetch =>
    async (url, init) => {
      if (!url.startsWith(site)) return service.fetch(url, init);
      const headers = new Headers(init.headers);
      headers.set("cookie", `user=${user}`);
      headers.set("sec-fetch-site", "same-origin");
      if (init.method !== "GET") headers.set("origin", site);
      // A stream as body requires `duplex`, which the types do not have.
      const request = { ...init, headers, duplex: "half" } as RequestInit;
      const response = await through(new Request(url, request));
      responses.push(response.clone());
      return response;
    };
  const page = (user: string, own: TryOnOptions = {}): TryOn => {
    const system = { clock: mock.clock, random: () => 0.5 };
    return new TryOn({ proxyUrl: mount, fetch: browser(user), ...system, ...own });
  };
  /** Creates a client for pages. Options of `TryOn` alone are left out. */
  const pageClientOf = (user: string, own: TryOnOptions = {}): PageClient => {
    const { keyInMetadata: _keyInMetadata, ...rest } = own;
    const system = { clock: mock.clock, random: () => 0.5 };
    return new PageClient({ fetch: browser(user), ...system, ...rest, baseUrl: mount });
  };
  const ask = (user: string, path: string, init: RequestInit = {}): Promise<Response> =>
    browser(user)(`${mount}${path}`, { method: "GET", ...init });
  /** Posts a submission from the page of a user: any object as JSON, and other bodies unchanged. */
  const post = (user: string, body: unknown, own: HeadersInit = {}): Promise<Response> => {
    const isJson = Object.getPrototypeOf(Object(body)) === Object.prototype;
    // Objects of other classes are bodies.
    const sent = isJson ? JSON.stringify(body) : (body as BodyInit | null);
    const headers = { ...jsonHeaders, ...Object.fromEntries(new Headers(own)) };
    return ask(user, "/api/v1/tryon", { method: "POST", headers, body: sent });
  };
  /** Advances the clock in steps until the work has ended, but never while the proxy is running. */
  const run = async <Result>(work: Promise<Result>, interval = 250): Promise<Result> => {
    const hasEnded = trackEnd(work);
    for (let step = 0; !hasEnded(); step += 1) {
      if (step > 20_000) throw new Error("The work has not ended within an hour.");
      await mock.clock.advance(step < 2 ? 0 : interval);
      while (isRunning()) await new Promise((resolve) => void setImmediate(resolve));
    }
    return work;
  };
  const error = (work: Promise<unknown>): Promise<unknown> => run(failure(work));
  return {
    ...service,
    proxy,
    ids: untracked,
    reported,
    responses,
    browser,
    page,
    pageClientOf,
    ask,
    post,
    run,
    error,
  };
}

/** Serves a reference server over HTTP until the end of the test, and creates proxies of it for `node:http`. */
export async function serveUpstream(authorize: ProxyOptions["authorize"]) {
  const mock = createMock({ seed: "proxy", latency: 0, profile });
  const server = await serve(mock);
  onTestFinished(async () => {
    await server.close();
    mock.close();
  });
  const access = {
    apiKey: mock.keys.live,
    baseUrl: server.url,
    transport,
    onError: () => undefined,
  } as const;
  const nodeProxy = (options: Partial<ProxyOptions> = {}) =>
    toNodeHandler(createProxy({ ...access, authorize, ...options }));
  return { mock, nodeProxy };
}
