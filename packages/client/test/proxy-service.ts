import type { Mock, MockOptions } from "@tryon/mock";

import {
  createProxy,
  type Proxy,
  type ProxyOptions,
  type ProxyError,
  type ProxyUser,
} from "../src/proxy/index.ts";
import { TryOn, type TryOnOptions } from "../src/index.ts";
import type { Fetch } from "../src/http/attempt.ts";
import { createService, trackEnd, type TestService } from "./service.ts";

export const site = "https://shop.example";
export const mount = `${site}/api/tryon`;

/** Authenticates users by the cookie `user=…`. */
export const byCookie = (request: Request): ProxyUser | undefined => {
  const [, user] = /^user=(.+)$/.exec(request.headers.get("cookie") ?? "") ?? [];
  return user === undefined ? undefined : { id: user };
};

/** Sends requests of a user's page to the proxy, with the headers of a browser, and others to the network. */
export function browserOf(
  proxy: Proxy,
  user: string,
  network: Fetch,
  responses: Response[] = [],
): Fetch {
  return async (url, init) => {
    if (!url.startsWith(site)) return network(url, init);
    const headers = new Headers(init.headers);
    headers.set("cookie", `user=${user}`);
    headers.set("sec-fetch-site", "same-origin");
    if (init.method !== "GET") headers.set("origin", site);
    // A stream as body requires `duplex`, which the types do not have.
    const request = { ...init, headers, duplex: "half" } as RequestInit;
    const response = await proxy(new Request(url, request));
    responses.push(response.clone());
    return response;
  };
}

/** Creates a site with a proxy of the reference server, and pages that use it. */
export function createProxyService(
  options: Partial<ProxyOptions> = {},
  mockOptions: MockOptions = {},
) {
  const service = createService(mockOptions);
  const { mock } = service;
  /** Errors that `onError` received. */
  const reported: ProxyError[] = [];
  /** Responses that pages received. */
  const responses: Response[] = [];
  const { busy, network, watched } = trackActivity(options.fetch ?? service.fetch);
  const handle = createProxy({
    apiKey: mock.keys.live,
    baseUrl: mock.baseUrl,
    authorize: byCookie,
    clock: mock.clock,
    onError: (error) => reported.push(error),
    ...options,
    fetch: network,
  });
  const proxy = watched(handle);
  /** Creates the client in the page of a user. */
  const page = (user: string, own: TryOnOptions = {}): TryOn =>
    new TryOn({
      proxyUrl: mount,
      fetch: browserOf(proxy, user, service.fetch, responses),
      clock: mock.clock,
      random: () => 0.5,
      ...own,
    });
  /** Sends a request from the page of a user. */
  const ask = (user: string, path: string, init: RequestInit = {}): Promise<Response> =>
    browserOf(proxy, user, service.fetch, responses)(`${mount}${path}`, { method: "GET", ...init });
  /** Posts a submission from the page of a user. */
  const post = (
    user: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    ask(user, "/api/v1/tryon", {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "key-1", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const run = <Result>(work: Promise<Result>): Promise<Result> => drive(mock, busy, work);
  const error: TestService["error"] = (work) =>
    run(
      work.then(
        (value) => {
          throw new Error(`Expected an error, but got ${JSON.stringify(value)}.`);
        },
        (thrown: unknown) => thrown,
      ),
    );
  return { ...service, proxy, reported, responses, page, ask, post, run, error };
}

/**
 * Tracks whether a proxy is running, apart from waiting for the service. Its signatures take real time, during which the
 * test must not move the clock.
 */
export function trackActivity(fetch: Fetch) {
  let count = 0;
  const network: Fetch = async (url, init) => {
    count -= 1;
    let isWaiting = true;
    const resume = (): void => {
      if (isWaiting) count += 1;
      isWaiting = false;
    };
    // After an abort the proxy runs again, with or without a response.
    init.signal?.addEventListener("abort", resume);
    try {
      return await fetch(url, init);
    } finally {
      resume();
    }
  };
  const watched =
    (handle: Proxy): Proxy =>
    async (request) => {
      count += 1;
      try {
        return await handle(request);
      } finally {
        count -= 1;
      }
    };
  return { busy: (): boolean => count > 0, network, watched };
}

/** Advances the clock in steps until the work has ended, but never while the proxy is running. */
export async function drive<Result>(
  { clock }: Mock,
  busy: () => boolean,
  work: Promise<Result>,
  interval = 250,
): Promise<Result> {
  const hasEnded = trackEnd(work);
  for (let step = 0; !hasEnded(); step += 1) {
    if (step > 20_000) throw new Error("The work has not ended within an hour.");
    await clock.advance(step < 2 ? 0 : interval);
    while (busy()) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  }
  return work;
}
