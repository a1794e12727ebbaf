import { assert, asyncProperty, sample } from "fast-check";
import { expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { trials, undergoThroughProxy } from "../testing/proxy-ordeal.ts";
import type { Proxy } from "./index.ts";

it("makes one job at most and loses none, whatever fails before and behind the proxy", async () => {
  await assert(
    asyncProperty(trials, async (trial) => {
      expect(await undergoThroughProxy(trial)).toEqual([]);
    }),
    { numRuns: cases(100) },
  );
});

it.each<[string, string, (proxy: Proxy) => Proxy]>([
  [
    "a proxy that gives each request a key of its own",
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
    "a proxy that says 400 of what it does not know",
    "a job that is not lost",
    (proxy) => async (request) => {
      const answer = await proxy(request);
      const unknown = answer.status === 502 && request.method === "POST";
      return unknown ? Response.json({ detail: "Bad gateway" }, { status: 400 }) : answer;
    },
  ],
])("would not bear %s", async (_name, breaks, plant) => {
  const found = new Set<string>();
  for (const trial of sample(trials, { numRuns: 200, seed: 3 })) {
    for (const name of await undergoThroughProxy(trial, plant)) found.add(name);
    if (found.has(breaks)) break;
  }
  expect([...found]).toContain(breaks);
});
