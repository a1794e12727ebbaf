import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";
import { allViolations, type FaultPlan } from "./faults.ts";
import { ReceiverPool } from "./receiver-pool.ts";
import { startScenarios } from "./run-scenarios.ts";

/**
 * Among the claim times with which a kill costs one attempt, the one that tolerates the longest delays of a busy
 * machine. A process loses its claim after a delay of two thirds, 4 s. The next attempt ends 11 s after the kill and
 * gets the claim after 6.25 s at most. That leaves 4.75 s for the handler, and 2.75 s before a 503. A longer claim
 * leaves less for these, a shorter one less for the delay.
 */
const claimTtl = 6_000;
/** Claim time with which a kill costs two attempts. Delays have no effect here. */
const longClaimTtl = 15_000;

/** Faults that cost one attempt each, with claims of less than 9 s. The plan that takes longest is first. */
const plans: readonly FaultPlan[] = [
  ["hangs and fails", "hangs and fails", "hangs and fails"],
  [],
  ["is killed"],
  ["is killed before done"],
  ["fails", "is killed", "redirects"],
  ["fails", "is down", "is killed before done"],
  ["is killed", "is killed", "is killed"],
  ["is killed before done", "is killed before done", "is killed before done"],
  ["is killed", "fails", "hangs and fails"],
  ["is killed", "is down", "is killed"],
  ["is killed before done", "hangs and ends"],
  ["redirects", "is killed", "hangs and ends"],
  ["redirects", "hangs and fails", "is killed"],
  ["is down", "is killed before done", "fails"],
  ["hangs and fails", "is killed", "is killed before done"],
  ["hangs and is killed", "fails"],
];

/** Faults that leave an attempt when a kill costs two. */
const longClaimPlans: readonly FaultPlan[] = [
  ["is killed", "fails"],
  ["fails", "is killed before done"],
  ["is killed", "is down"],
  ["hangs and is killed"],
];

it(
  "handles every event of real receivers that fail, hang, redirect, are down and are killed",
  // It takes 50 s. A slow machine may take longer.
  { timeout: 600_000 },
  async () => {
    const cache = await mkdtemp(join(tmpdir(), "tryon-killed-"));
    onTestFinished(() => rm(cache, { recursive: true, force: true }));
    const all = [...plans, ...longClaimPlans];
    const kills = all.flat().filter((fault) => fault.includes("killed"));
    const pool = await ReceiverPool.start(all.length + kills.length, cache);
    onTestFinished(() => pool.close());
    const start = (webhookBody: "same" | "resigned", ttl: number, some: readonly FaultPlan[]) => {
      // Every second plan has the same body for each attempt.
      const own = some.filter((_plan, index) => (index % 2 === 0) === (webhookBody === "same"));
      return startScenarios({ webhookBody, claimTtl: ttl, startProcess: pool.take }, own);
    };
    const runs = await Promise.all([
      start("same", claimTtl, plans),
      start("resigned", claimTtl, plans),
      start("same", longClaimTtl, longClaimPlans),
      start("resigned", longClaimTtl, longClaimPlans),
    ]);
    onTestFinished(() => {
      for (const { mock } of runs) mock.close();
    });
    const ended = async (): Promise<number> => {
      const deliveries = await Promise.all(runs.map(({ mock }) => mock.webhooks.deliveries()));
      return deliveries.flat().filter(({ state }) => state !== "pending").length;
    };
    await expect.poll(ended, { timeout: 400_000, interval: 250 }).toBe(all.length);

    const outcomesNow = async () => (await Promise.all(runs.map((run) => run.outcomes()))).flat();
    const outcomes = await outcomesNow();
    expect(outcomes).toHaveLength(all.length);
    const violations = allViolations(outcomes);
    expect({ errors: pool.errors, violations }).toEqual({ errors: [], violations: [] });
    const unexpected = outcomes.filter(
      ({ plan, faults, attempts }) => attempts.at(-1) !== 204 || plan.length !== faults,
    );
    expect(unexpected).toEqual([]);
    const repeated = outcomes.reduce((sum, { completions }) => sum + completions - 1, 0);
    expect(repeated).toBe(kills.filter((fault) => fault === "is killed before done").length);

    for (const { mock, deliveryIds } of runs) {
      for (const id of await deliveryIds()) {
        expect((await mock.webhooks.replay(id)).attempts).toMatchObject([{ status: 204 }]);
        expect((await mock.webhooks.duplicate(id)).attempts).toMatchObject([{ status: 204 }]);
        expect((await mock.webhooks.tamper(id)).attempts).toMatchObject([{ status: 400 }]);
      }
    }
    expect(await outcomesNow()).toEqual(outcomes);
  },
);
