import { assert, asyncProperty, sample } from "fast-check";
import { expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { isTryOnError } from "../index.ts";
import { faultScenarios, runScenario, type Mutant } from "../../test/fault-scenario.ts";
import type { Fetch } from "./attempt.ts";

it("makes one key, one body, at most one job and one charge whatever fails, and loses no job", async () => {
  await assert(
    asyncProperty(faultScenarios, async (scenario) => {
      const { violations, code } = await runScenario(scenario);
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

const plants: Readonly<Record<string, Mutant & { readonly breaks: string }>> = {
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

it.each(Object.entries(plants))("would not bear %s", async (_name, { breaks, ...mutant }) => {
  const broken = new Set<string>();
  for (const scenario of sample(faultScenarios, { numRuns: 400, seed: 11 })) {
    for (const name of (await runScenario(scenario, mutant)).violations) broken.add(name);
    if (broken.has(breaks)) break;
  }
  expect([...broken]).toContain(breaks);
});
