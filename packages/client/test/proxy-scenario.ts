import { array, constantFrom, tuple } from "fast-check";

import type { Fetch } from "../src/config/options.ts";
import {
  anyClockChanges,
  createMachine,
  faultScenarios,
  runScenario,
  type ValueOf,
} from "./fault-scenario.ts";
import { createProxyService, mount, type ProxyHandler } from "./proxy-service.ts";
import { cut, noResponse } from "./service.ts";

type Send = () => Promise<Response>;

const failedFetch: Send = () => Promise.reject(new TypeError("Failed to fetch"));
/** Creates a fault that replaces the response to a request that arrived. */
const gatewayError = (status: number) => async (send: Send) => {
  await send();
  const headers = { "content-type": "text/html" };
  return new Response("<h1>A gateway error</h1>", { status, headers });
};

const pageFaults: readonly ((send: Send) => Promise<Response>)[] = [
  cut.refused,
  failedFetch,
  (send) => send().then(failedFetch),
  noResponse.before,
  (send) => {
    void send();
    return noResponse.before();
  },
  gatewayError(502),
  gatewayError(403),
];

/** Try-ons through a proxy, with faults on both sides of it. */
export const proxyScenarios = tuple(
  // The proxy makes the keys of the service, and its default fields have no metadata.
  faultScenarios.map((scenario) => ({ ...scenario, keyInMetadata: false, ownKey: false })),
  array(constantFrom(...pageFaults), { maxLength: 3 }),
  // Clock of the machine of the proxy.
  anyClockChanges,
);

/** Clients of a page that send their requests through a proxy. */
export const pageClients = ["TryOn", "PageClient"] as const;

/** Runs a try-on through a proxy with faults, and returns the names of the failed checks. */
export async function runProxyScenario(
  [scenario, faults, proxyClock]: ValueOf<typeof proxyScenarios>,
  mutate: (proxy: ProxyHandler) => ProxyHandler = (proxy) => proxy,
  client: (typeof pageClients)[number] = "TryOn",
) {
  const left = [...faults];
  const { violations } = await runScenario(scenario, {}, (upstream) => {
    const { machine: clock, network } = createMachine(upstream.mock.clock, proxyClock);
    const options = { clock, fetch: network(upstream.fetch) };
    const { browser, page, pageClientOf, proxy, run } = createProxyService(options, {}, upstream);
    const toProxy = browser("ada", mutate(proxy));
    const fetch: Fetch = (url, init) => {
      const send: Send = () => toProxy(url, init);
      return (url.startsWith(mount) && left.shift()?.(send)) || send();
    };
    return {
      createClient: (own) => (client === "TryOn" ? page : pageClientOf)("ada", own),
      fetch,
      proxyClock,
      advance: (work) => run(work, 5_000),
    };
  });
  return violations;
}
