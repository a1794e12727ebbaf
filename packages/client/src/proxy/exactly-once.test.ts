import { assert, asyncProperty, sample } from "fast-check";
import { expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { pageClients, proxyScenarios, runProxyScenario } from "../../test/proxy-scenario.ts";
import type { ProxyHandler } from "../../test/proxy-service.ts";

it.each(pageClients)(
  "makes at most one job and loses none with %s, with failures on both sides of the proxy",
  async (client) => {
    const isSafe = asyncProperty(proxyScenarios, async (scenario) => {
      expect(await runProxyScenario(scenario, undefined, client)).toEqual([]);
    });
    await assert(isSafe, { numRuns: cases(100) });
  },
);

it.each<[string, string, (proxy: ProxyHandler) => ProxyHandler]>([
  [
    "a proxy that gives each request a new key",
    "one key",
    (proxy) => {
      let count = 0;
      return (request) => {
        const headers = new Headers(request.headers);
        if (request.method === "POST") headers.set("idempotency-key", `key-${(count += 1)}`);
        return proxy(new Request(request, { headers }));
      };
    },
  ],
  [
    "a proxy that responds with 400 to unknown outcomes",
    "no lost job",
    (proxy) => async (request) => {
      const response = await proxy(request);
      const unknown = response.status === 502 && request.method === "POST";
      return unknown ? Response.json({ detail: "Bad gateway" }, { status: 400 }) : response;
    },
  ],
])("fails for %s", async (_name, violated, mutate) => {
  const found = new Set<string>();
  for (const scenario of sample(proxyScenarios, { numRuns: 200, seed: 3 })) {
    for (const name of await runProxyScenario(scenario, mutate)) found.add(name);
    if (found.has(violated)) break;
  }
  expect([...found]).toContain(violated);
});
