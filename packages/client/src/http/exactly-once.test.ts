import { assert, asyncProperty, sample } from "fast-check";
import { expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { isTryOnError } from "../index.ts";
import { faultScenarios, runScenario, type Mutant } from "../../test/fault-scenario.ts";
import type { Fetch } from "../config/options.ts";

it("sends one key and one body, creates at most one job and one charge, and loses no job", async () => {
  await assert(
    asyncProperty(faultScenarios, async (scenario) => {
      const { violations, code } = await runScenario(scenario);
      expect({ violations, code }).toEqual({ violations: [], code });
    }),
    { numRuns: cases(500) },
  );
});

/** Changes each submission before it is sent. */
function changeSubmissions(change: (init: RequestInit, count: number) => RequestInit) {
  return (fetch: Fetch): Fetch => {
    let count = 0;
    return (url, init) => fetch(url, init.method === "POST" ? change(init, (count += 1)) : init);
  };
}

it.each<[string, string, Mutant]>([
  [
    "a new key per retry",
    "one key",
    {
      fetch: changeSubmissions((init, count) => {
        const headers = new Headers(init.headers);
        headers.set("Idempotency-Key", `key-${count}`);
        return { ...init, headers };
      }),
    },
  ],
  [
    "a body that changes",
    "one body",
    {
      fetch: changeSubmissions((init, count) =>
        typeof init.body === "string"
          ? { ...init, body: init.body.replace("{", `{"attempt":${count},`) }
          : init,
      ),
    },
  ],
  [
    "a 402 that counts as proof after a reset",
    "no lost job",
    {
      error: (error) =>
        isTryOnError(error, "outcome_unknown") && isTryOnError(error.cause, "insufficient_credits")
          ? error.cause
          : error,
    },
  ],
  [
    "an idempotency window without end",
    "at most one job",
    { options: { idempotencyWindow: "10d" } },
  ],
  [
    "an idempotency window that stops while the machine sleeps",
    "at most one job",
    { clock: (clock) => ({ ...clock, now: () => Number(clock.monotonic?.()) }) },
  ],
  [
    "timeouts that a date set back makes longer",
    "no late end",
    { clock: (clock) => ({ ...clock, monotonic: () => clock.now() }) },
  ],
  [
    "timeouts that a date set forward ends",
    "no early end",
    { clock: (clock) => ({ ...clock, monotonic: () => clock.now() }) },
  ],
  [
    "delays that a date set forward ends",
    "no early request",
    { clock: (clock) => ({ ...clock, monotonic: () => clock.now() }) },
  ],
])("detects %s by the check for %s", async (_name, check, mutant) => {
  const failed = new Set<string>();
  for (const scenario of sample(faultScenarios, { numRuns: 2_000, seed: 6 })) {
    for (const name of (await runScenario(scenario, mutant)).violations) failed.add(name);
    if (failed.has(check)) break;
  }
  expect([...failed]).toContain(check);
});
