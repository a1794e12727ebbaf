import { assert, asyncProperty, sample } from "fast-check";
import { expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { isTryOnError, type Clock } from "../index.ts";
import {
  faultScenarios,
  runPageScenario,
  runScenario,
  type FaultName,
  type FaultScenario,
  type Mutant,
} from "../../test/fault-scenario.ts";
import type { Fetch } from "../config/options.ts";

it.each([
  ["TryOn", runScenario],
  ["PageClient", runPageScenario],
])(
  "%s sends one key and one body, creates at most one job and one charge, and loses no job",
  async (_client, runWith) => {
    await assert(
      asyncProperty(faultScenarios, async (scenario) => {
        const { violations, code } = await runWith(scenario);
        expect({ violations, code }).toEqual({ violations: [], code });
      }),
      { numRuns: cases(500) },
    );
  },
);

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
])("detects %s by the check for %s", async (_name, check, mutant) => {
  const failed = new Set<string>();
  for (const scenario of sample(faultScenarios, { numRuns: 400, seed: 6 })) {
    for (const name of (await runScenario(scenario, mutant)).violations) failed.add(name);
    if (failed.has(check)) break;
  }
  expect([...failed]).toContain(check);
});

const byDate = (clock: Clock): Clock => ({ ...clock, monotonic: () => clock.now() });
const twiceAsFast = (clock: Clock): Clock => ({
  ...clock,
  monotonic: () => 2 * Number(clock.monotonic?.()),
  setTimeout: (callback, delay) => clock.setTimeout(callback, delay / 2),
});

it.each<[string, string, (clock: Clock) => Clock, FaultName[]]>([
  ["a date that is set back", "no late end", byDate, ["no response"]],
  ["a fast clock", "no early end", twiceAsFast, []],
  ["a fast clock", "no early request", twiceAsFast, ["429"]],
])("detects durations by %s by the check for %s", async (_how, check, clock, faults) => {
  const changed = {
    clock: [{ request: 1, delay: 300, change: "set back by an hour" }],
    faults,
    latency: "40s",
    timeout: 8_000,
    call: "run",
    sync: false,
  } satisfies Partial<FaultScenario>;
  for (const scenario of sample(faultScenarios, { numRuns: 40, seed: 6 })) {
    const { violations } = await runScenario({ ...scenario, ...changed }, { clock });
    if (violations.includes(check)) return;
  }
  expect.unreachable("The check passes.");
});
