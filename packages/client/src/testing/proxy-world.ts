import type { Mock, MockOptions } from "@tryon/mock";

import {
  createProxy,
  type Proxy,
  type ProxyOptions,
  type ProxyError,
  type ProxyUser,
} from "../proxy/index.ts";
import { TryOn, type TryOnOptions } from "../index.ts";
import type { Fetch } from "../http/attempt.ts";
import { endOf } from "./end-of.ts";
import { createWorld, type World } from "./world.ts";

/** A site with a proxy before the reference server, and pages that use it. */
export interface ProxyWorld extends World {
  readonly proxy: Proxy;
  /** What the operator was told. */
  readonly troubles: readonly ProxyError[];
  /** What pages got. */
  readonly answers: readonly Response[];
  /** The client in the page of a user. */
  readonly page: (user: string, options?: TryOnOptions) => TryOn;
  /** Sends what a page of the user would. */
  readonly ask: (user: string, path: string, init?: RequestInit) => Promise<Response>;
  /** Posts a try-on by hand. */
  readonly post: (
    user: string,
    body: unknown,
    headers?: Record<string, string>,
  ) => Promise<Response>;
}

export const site = "https://shop.example";
export const mount = `${site}/api/tryon`;

/** Who signs in with the cookie `user=…`. */
export const byCookie = (request: Request): ProxyUser | undefined => {
  const [, user] = /^user=(.+)$/.exec(request.headers.get("cookie") ?? "") ?? [];
  return user === undefined ? undefined : { id: user };
};

/** Hands what a page of the user sends to the proxy, as a browser would, and the rest to the network. */
export function browserOf(
  proxy: Proxy,
  user: string,
  network: Fetch,
  answers: Response[] = [],
): Fetch {
  return async (url, init) => {
    if (!url.startsWith(site)) return network(url, init);
    const headers = new Headers(init.headers);
    headers.set("cookie", `user=${user}`);
    headers.set("sec-fetch-site", "same-origin");
    if (init.method !== "GET") headers.set("origin", site);
    // A stream can be sent only where it is said that nothing of the answer is read before its end.
    const answer = await proxy(
      new Request(url, { ...init, headers, duplex: "half" } as RequestInit),
    );
    answers.push(answer.clone());
    return answer;
  };
}

export function createProxyWorld(
  options: Partial<ProxyOptions> = {},
  mockOptions: MockOptions = {},
): ProxyWorld {
  const world = createWorld(mockOptions);
  const { mock } = world;
  const troubles: ProxyError[] = [];
  const answers: Response[] = [];
  const { busy, network, watched } = busyness(options.fetch ?? world.fetch);
  const handle = createProxy({
    apiKey: mock.keys.live,
    baseUrl: mock.baseUrl,
    authorize: byCookie,
    clock: mock.clock,
    onError: (trouble) => troubles.push(trouble),
    ...options,
    fetch: network,
  });
  const proxy = watched(handle);
  const page = (user: string, own: TryOnOptions = {}): TryOn =>
    new TryOn({
      proxyUrl: mount,
      fetch: browserOf(proxy, user, world.fetch, answers),
      clock: mock.clock,
      random: () => 0.5,
      ...own,
    });
  const ask = (user: string, path: string, init: RequestInit = {}): Promise<Response> =>
    browserOf(proxy, user, world.fetch, answers)(`${mount}${path}`, { method: "GET", ...init });
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
  const error: ProxyWorld["error"] = (work) =>
    run(
      work.then(
        (value) => {
          throw new Error(`It gave ${JSON.stringify(value)} where it was to fail.`);
        },
        (thrown: unknown) => thrown,
      ),
    );
  return { ...world, proxy, troubles, answers, page, ask, post, run, error };
}

/**
 * Tells whether a proxy is at work, apart from waiting for the service: signing takes real time, and a clock that stands
 * still for everything else must not be moved meanwhile.
 */
export function busyness(fetch: Fetch) {
  let count = 0;
  const network: Fetch = async (url, init) => {
    count -= 1;
    let away = true;
    const back = (): void => {
      if (away) count += 1;
      away = false;
    };
    // Given up, it is the proxy's turn again, whether an answer comes or not.
    init.signal?.addEventListener("abort", back);
    try {
      return await fetch(url, init);
    } finally {
      back();
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

/** Moves time in strides until the work has ended, and never while the proxy is at work. */
export async function drive<Result>(
  { clock }: Mock,
  busy: () => boolean,
  work: Promise<Result>,
  stride = 250,
): Promise<Result> {
  const hasEnded = endOf(work);
  for (let step = 0; !hasEnded(); step += 1) {
    if (step > 20_000) throw new Error("The work has not ended after more than an hour.");
    await clock.advance(step < 2 ? 0 : stride);
    while (busy()) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  }
  return work;
}
