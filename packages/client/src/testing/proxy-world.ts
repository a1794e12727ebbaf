import type { MockOptions } from "@tryon/mock";

import { createProxy, type Proxy, type ProxyOptions, type ProxyTrouble } from "../proxy/index.ts";
import { TryOn, type TryOnOptions } from "../index.ts";
import type { Fetch } from "../transport/attempt.ts";
import { createWorld, type World } from "./world.ts";

/** A site with a proxy before the reference server, and pages that use it. */
export interface ProxyWorld extends World {
  readonly proxy: Proxy;
  /** What the operator was told. */
  readonly troubles: readonly ProxyTrouble[];
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
export const byCookie = (request: Request): { user: string } | undefined => {
  const [, user] = /^user=(.+)$/.exec(request.headers.get("cookie") ?? "") ?? [];
  return user === undefined ? undefined : { user };
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
  const troubles: ProxyTrouble[] = [];
  const answers: Response[] = [];
  const proxy = createProxy({
    apiKey: mock.keys.live,
    baseUrl: mock.baseUrl,
    authorize: byCookie,
    fetch: world.fetch,
    clock: mock.clock,
    onError: (trouble) => troubles.push(trouble),
    ...options,
  });
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
  return { ...world, proxy, troubles, answers, page, ask, post };
}
