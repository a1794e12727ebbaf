import { getEventListeners } from "node:events";

import { expect } from "vitest";

import { seededRandom } from "./seeded-random.ts";
import { input, type TestService } from "./service.ts";

/**
 * Waits a thousand times in each round on one signal, in waits that run out of time, loops that are broken off, and in the
 * last round waits that are aborted, and looks at what is left: neither a timer nor a listener nor a request.
 */
export async function expectNothingLeft(service: TestService, rounds: number): Promise<void> {
  const { mock, tryon, sent } = service;
  const jobs = await Promise.all([1, 2, 3].map(() => tryon.submit(input)));
  const timers = mock.clock.pending;
  const controller = new AbortController();
  const { signal } = controller;
  const random = seededRandom(5);
  const ends: unknown[] = [];
  // A thousand at a time: Node looks through all listeners of a signal whenever one is added.
  for (let round = 1; round <= rounds; round += 1) {
    const waits = Array.from({ length: 1_000 }, async (_none, index): Promise<unknown> => {
      const job = tryon.jobs.resume(jobs[index % 3]?.id ?? "");
      const chance = random();
      if (chance < 0.4) return job.result({ signal, timeout: "10s" });
      if (round === rounds && chance < 0.8) return job.result({ signal });
      for await (const { status } of job.updates({ signal, timeout: "10s" })) {
        if (chance < 0.9) return status;
      }
      return "ended";
    });
    const settled = Promise.allSettled(waits);
    await mock.clock.advance("9s");
    if (round === rounds) controller.abort({ code: "enough" });
    await mock.clock.advance("2s");
    for (const end of await settled) {
      ends.push(end.status === "fulfilled" ? end.value : codeOf(end.reason));
    }
  }
  const looks = sent.length;
  expect(new Set(ends)).toEqual(new Set(["running", "wait_timed_out", "enough"]));
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(mock.clock.pending).toBe(timers);
  await mock.clock.advance("5m");
  expect(sent).toHaveLength(looks);
}

function codeOf(error: unknown): string {
  // What a wait rejects with here is one of our errors or the reason above.
  return (error as { code: string }).code;
}
