import { assert, asyncProperty, sample } from "fast-check";
import { expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { isTryOnError } from "../index.ts";
import { ordeals, undergo, type Plant } from "../../test/fault-scenario.ts";
import type { Fetch } from "./attempt.ts";

it("makes one key, one body, at most one job and one charge whatever fails, and loses no job", async () => {
  await assert(
    asyncProperty(ordeals, async (ordeal) => {
      const { violations, code } = await undergo(ordeal);
      expect({ violations, code }).toEqual({ violations: [], code });
    }),
    { numRuns: cases(500) },
  );
});

/** Changes each submission on its way out, each time differently. */
function changing(change: (init: RequestInit, count: number) => RequestInit) {
  return (fetch: Fetch): Fetch => {
    let count = 0;
    return (url, init) => fetch(url, init.method === "POST" ? change(init, (count += 1)) : init);
  };
}

const plants: Readonly<Record<string, Plant & { readonly breaks: string }>> = {
  "a new key per retry": {
    breaks: "one key",
    fetch: changing((init, count) => {
      const headers = new Headers(init.headers);
      headers.set("Idempotency-Key", `key-${count}`);
      return { ...init, headers };
    }),
  },
  "a body that changes": {
    breaks: "the same bytes",
    fetch: changing((init, count) =>
      typeof init.body === "string"
        ? { ...init, body: init.body.replace("{", `{"attempt":${count},`) }
        : init,
    ),
  },
  "a 402 believed after a cut": {
    breaks: "a job that is not lost",
    error: (error) =>
      isTryOnError(error, "outcome_unknown") && isTryOnError(error.cause, "insufficient_credits")
        ? error.cause
        : error,
  },
  "a key trusted for ever": {
    breaks: "one job at most",
    options: { idempotencyWindow: "10d" },
  },
};

it.each(Object.entries(plants))("would not bear %s", async (_name, { breaks, ...plant }) => {
  const broken = new Set<string>();
  for (const ordeal of sample(ordeals, { numRuns: 400, seed: 11 })) {
    for (const name of (await undergo(ordeal, plant)).violations) broken.add(name);
    if (broken.has(breaks)) break;
  }
  expect([...broken]).toContain(breaks);
});
