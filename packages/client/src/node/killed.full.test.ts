import type { MockOptions, ProfileName } from "@tryon/mock";
import { cases } from "@tryon/test-kit/cases";
import { expect, it } from "vitest";

import { suffer, type Fate, type Outcome } from "../testing/fated-batch.ts";
import { temporaryFolder } from "../testing/journal-folder.ts";
import {
  phases,
  programMoments,
  serviceMoments,
  type Item,
  type Moment,
} from "../testing/moments.ts";

const everyMoment: readonly Moment[] = [...programMoments, ...serviceMoments];

/** Creates one item per moment in which the program is killed, and an unaffected item after every second one. */
function itemsFor(moments: readonly Moment[], ofEach: number): Item[] {
  const fated = Array.from({ length: ofEach }, () => moments).flat();
  return fated.flatMap((moment, index) => [
    { id: `sku-${index}`, moment, isLarge: moment === "a part has arrived" },
    ...(index % 2 === 0 ? [{ id: `free-${index}` }] : []),
  ]);
}

const chargedTwice = (outcome: Outcome): string[] =>
  [...outcome.charges].filter(([, count]) => count > 1).map(([id]) => id);

const fate = (own: Partial<Fate> & Pick<Fate, "items">): Fate => ({
  server: {},
  sync: true,
  concurrency: 6,
  journal: "on disk",
  anyTime: [],
  startedAfter: 0,
  ...own,
});

const configurations: readonly (readonly [ProfileName, boolean])[] = [
  ["default", true],
  ["default", false],
  ["contrary", true],
  ["contrary", false],
];

/** Number of kills per moment and configuration. */
const ofEach = cases(5);

it(
  "a batch that is killed repeatedly makes and charges each try-on once",
  { timeout: 900_000 },
  async () => {
    const cache = await temporaryFolder();
    const outcomes = await Promise.all(
      configurations.map(([profile, sync]) => {
        const items = itemsFor(everyMoment, ofEach);
        const anyTime = Array.from({ length: 8 }, (_, index) => 90 + 45 * index);
        return suffer(fate({ items, sync, anyTime, server: { profile } }), cache);
      }),
    );
    for (const { wrongs, ended, charges } of outcomes) {
      expect(wrongs).toEqual([]);
      expect(new Set([...ended.values()].map(({ how }) => how))).toEqual(new Set(["succeeded"]));
      expect([...charges].filter(([, count]) => count !== 1)).toEqual([]);
      expect([...charges.keys()].toSorted()).toEqual([...ended.keys()].toSorted());
    }
    const kills = outcomes.flatMap((outcome) => outcome.kills);
    const count = (moments: readonly string[]): number =>
      kills.filter((kill) => moments.includes(kill)).length;
    const counts = {
      all: kills.length,
      before: count(phases.before),
      during: count(phases.during),
      after: count(phases.after),
      "at any time": count(["at any time"]),
    };
    // oxlint-disable-next-line no-console
    console.log(counts);
    expect(counts.all).toBeGreaterThanOrEqual(40 * ofEach);
    for (const phase of ["before", "during", "after"] as const) {
      expect(counts[phase]).toBeGreaterThanOrEqual(4 * ofEach);
    }
    for (const moment of everyMoment) expect(count([moment])).toBe(ofEach * configurations.length);
  },
);

it(
  "a batch that restarts after the service has dropped its keys finds its jobs, and reports outcome_unknown for others",
  { timeout: 300_000 },
  async () => {
    const cache = await temporaryFolder();
    const server: MockOptions = { options: { idempotencyHours: 1 } };
    const outcomes = await Promise.all(
      [true, false].flatMap((sync) =>
        // All concurrent items are too late if one of them causes the kill.
        [1, 6].map((concurrency) => {
          const items = itemsFor(everyMoment, 2);
          return suffer(fate({ items, sync, concurrency, server, startedAfter: 7_200_000 }), cache);
        }),
      ),
    );
    expect(outcomes.map(({ kills }) => kills.length)).toEqual([
      2 * everyMoment.length,
      expect.any(Number),
      2 * everyMoment.length,
      expect.any(Number),
    ]);
    for (const outcome of outcomes) {
      const { wrongs, ended, charges } = outcome;
      expect(wrongs).toEqual([]);
      expect(chargedTwice(outcome)).toEqual([]);
      for (const { id, how } of ended.values()) {
        expect([id, how]).toEqual([id, charges.has(id) ? "succeeded" : "outcome_unknown"]);
      }
      const hows = new Set([...ended.values()].map(({ how }) => how));
      expect(hows).toEqual(new Set(["succeeded", "outcome_unknown"]));
    }
  },
);

it(
  "a journal that confirms writes before they are on disk causes double charges",
  { timeout: 300_000 },
  async () => {
    const items = itemsFor(["it has arrived and is made later", "the answer has arrived"], 3);
    const outcome = await suffer(fate({ items, journal: "in memory" }), await temporaryFolder());
    expect(outcome.kills).toHaveLength(6);
    expect(chargedTwice(outcome)).toEqual(expect.arrayContaining(["sku-0", "sku-1"]));
  },
);
