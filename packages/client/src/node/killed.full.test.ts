import { profileNames, type MockOptions } from "@tryon/mock";
import { cases } from "@tryon/test-kit/cases";
import { expect, it } from "vitest";

import {
  crashPoints,
  runCrashScenario,
  type CrashPoint,
  type CrashScenario,
  type Item,
} from "../../test/crash-scenario.ts";
import { temporaryFolder } from "../../test/journal-folder.ts";

const allCrashPoints = Object.values(crashPoints).flat();

/** Returns items with these crash points, and every third item without one. */
function itemsFor(points: readonly CrashPoint[], ofEach: number): Item[] {
  const crashing = Array.from({ length: ofEach }, () => points).flat();
  return crashing.flatMap((crashPoint, index) => [
    { id: `sku-${index}`, crashPoint, isLarge: crashPoint === "during the upload" },
    ...(index % 2 === 0 ? [{ id: `free-${index}` }] : []),
  ]);
}

const chargedTwice = (charges: ReadonlyMap<string, number>): string[] =>
  [...charges].filter(([, count]) => count > 1).map(([id]) => id);

const scenario = (own: Partial<CrashScenario> & Pick<CrashScenario, "items">): CrashScenario => ({
  server: {},
  sync: true,
  concurrency: 6,
  journal: "on disk",
  randomKills: [],
  restartDelay: 0,
  ...own,
});

const variants = profileNames.flatMap((profile) =>
  [true, false].map((sync) => ({ profile, sync })),
);

/** Number of kills at each crash point and variant. */
const ofEach = cases(5);

it(
  "submits and pays for each item of a repeatedly killed batch once",
  { timeout: 900_000 },
  async () => {
    const cache = await temporaryFolder();
    const outcomes = await Promise.all(
      variants.map(({ profile, sync }) => {
        const items = itemsFor(allCrashPoints, ofEach);
        const randomKills = Array.from({ length: 8 }, (_, index) => 90 + 45 * index);
        return runCrashScenario(scenario({ items, sync, randomKills, server: { profile } }), cache);
      }),
    );
    for (const { violations, ended, charges } of outcomes) {
      expect(violations).toEqual([]);
      expect(new Set([...ended.values()].map(({ outcome }) => outcome))).toEqual(
        new Set(["succeeded"]),
      );
      expect([...charges].filter(([, count]) => count !== 1)).toEqual([]);
      expect([...charges.keys()].toSorted()).toEqual([...ended.keys()].toSorted());
    }
    const kills = outcomes.flatMap((outcome) => outcome.kills);
    const count = (points: readonly string[]): number =>
      kills.filter((kill) => points.includes(kill)).length;
    const counts = {
      all: kills.length,
      before: count(crashPoints.before),
      during: count(crashPoints.during),
      after: count(crashPoints.after),
      "at any time": count(["at any time"]),
    };
    // oxlint-disable-next-line no-console
    console.log(counts);
    expect(counts["at any time"]).toBeGreaterThanOrEqual(4 * ofEach);
    for (const crashPoint of allCrashPoints)
      expect(count([crashPoint])).toBe(ofEach * variants.length);
  },
);

it(
  "finds the jobs of a killed batch after its keys expired, and reports the others as unknown",
  { timeout: 300_000 },
  async () => {
    const cache = await temporaryFolder();
    const server: MockOptions = { options: { idempotencyHours: 1 } };
    const outcomes = await Promise.all(
      [true, false].flatMap((sync) =>
        // A kill makes all items in flight too late.
        [1, 6].map((concurrency) => {
          const items = itemsFor(allCrashPoints, 2);
          return runCrashScenario(
            scenario({ items, sync, concurrency, server, restartDelay: 7_200_000 }),
            cache,
          );
        }),
      ),
    );
    expect(outcomes.map(({ kills }) => kills.length)).toEqual([
      2 * allCrashPoints.length,
      expect.any(Number),
      2 * allCrashPoints.length,
      expect.any(Number),
    ]);
    for (const { violations, ended, charges } of outcomes) {
      expect(violations).toEqual([]);
      expect(chargedTwice(charges)).toEqual([]);
      for (const { id, outcome } of ended.values()) {
        expect([id, outcome]).toEqual([id, charges.has(id) ? "succeeded" : "outcome_unknown"]);
      }
      const outcomesSeen = new Set([...ended.values()].map(({ outcome }) => outcome));
      expect(outcomesSeen).toEqual(new Set(["succeeded", "outcome_unknown"]));
    }
  },
);

it(
  "pays twice with a journal that resolves before its entries are on disk",
  { timeout: 300_000 },
  async () => {
    const items = itemsFor(["after the upload, job created later", "after the response"], 3);
    const outcome = await runCrashScenario(
      scenario({ items, journal: "in memory" }),
      await temporaryFolder(),
    );
    expect(outcome.kills).toHaveLength(6);
    expect(chargedTwice(outcome.charges)).toEqual(expect.arrayContaining(["sku-0", "sku-1"]));
  },
);
