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
import { usesNode } from "../../test/service.ts";

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

const variants = profileNames.flatMap((profile) =>
  [true, false].map((sync) => ({ profile, sync })),
);

/** Returns the transport of one of four scenarios: two have each, and the other one in the run over `node:http`. */
const transportOf = (index: number): CrashScenario["transport"] =>
  usesNode === (index === 0 || index === 3) ? undefined : "fetch";

/** Number of kills at each crash point and variant. */
const ofEach = cases(5);

it(
  "submits and pays for each item of a repeatedly killed batch once",
  { timeout: 900_000 },
  async () => {
    const cache = await temporaryFolder();
    const outcomes = await Promise.all(
      variants.map(({ profile, sync }, index) => {
        const transport = transportOf(index);
        const items = itemsFor(allCrashPoints, ofEach);
        const randomKills = Array.from({ length: 8 }, (_, kill) => 90 + 45 * kill);
        const server = { profile };
        return runCrashScenario({ items, sync, randomKills, server, transport }, cache);
      }),
    );
    for (const { violations, ended, charges } of outcomes) {
      expect(violations).toEqual([]);
      expect(new Set(ended.values())).toEqual(new Set(["succeeded"]));
      expect(new Set(charges.values())).toEqual(new Set([1]));
      expect([...charges.keys()].toSorted()).toEqual([...ended.keys()].toSorted());
    }
    const kills = outcomes.flatMap((outcome) => outcome.kills);
    const count = (points: readonly string[]): number =>
      kills.filter((kill) => points.includes(kill)).length;
    const { before, during, after } = crashPoints;
    const counts = [kills, before, during, after, ["at any time"]].map(count);
    // oxlint-disable-next-line no-console
    console.log("kills in all, before, during and after the POST, and at any time:", ...counts);
    expect(counts.at(-1)).toBeGreaterThanOrEqual(4 * ofEach);
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
        [1, 6].map((concurrency, index) => {
          const items = itemsFor(allCrashPoints, 2);
          const transport = transportOf(sync ? index : index + 2);
          const crash = { items, sync, concurrency, server, transport, restartDelay: 7_200_000 };
          return runCrashScenario(crash, cache);
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
      for (const [id, outcome] of ended) {
        expect([id, outcome]).toEqual([id, charges.has(id) ? "succeeded" : "outcome_unknown"]);
      }
      expect(new Set(ended.values())).toEqual(new Set(["succeeded", "outcome_unknown"]));
    }
  },
);

it(
  "pays twice with a journal that resolves before its entries are on disk",
  { timeout: 300_000 },
  async () => {
    const items = itemsFor(["after the upload, job created later", "after the response"], 3);
    const outcome = await runCrashScenario(
      { items, journal: "in memory" },
      await temporaryFolder(),
    );
    expect(outcome.kills).toHaveLength(6);
    expect(chargedTwice(outcome.charges)).toEqual(expect.arrayContaining(["sku-0", "sku-1"]));
  },
);

/** Crash points after which the list has no job that a later run could find. */
const lost = ["during the upload", "after the upload, request lost"];

it.each([true, false])(
  "pays for each item of a killed batch once, although each restart has another API key, with recoveryKeys: %s",
  async (rotatesWithKeys) => {
    const items = allCrashPoints.flatMap((crashPoint) => [
      { id: crashPoint, crashPoint, isLarge: crashPoint === "during the upload" },
      { id: `free, ${crashPoint}` },
    ]);
    const crash = { items, concurrency: 1, rotatesWithKeys };
    const outcome = await runCrashScenario(crash, await temporaryFolder());
    const { violations, ended, charges, kills } = outcome;
    expect(violations).toEqual([]);
    expect(kills).toHaveLength(allCrashPoints.length);
    expect([...charges].filter(([, count]) => count !== 1)).toEqual([]);
    const failed = [...ended].filter(([, code]) => code !== "succeeded");
    expect(failed.map(([, code]) => code)).toEqual(failed.map(() => "outcome_unknown"));
    // Whether the first attempt has begun is open at that point.
    const known = failed.map(([id]) => id).filter((id) => id !== "before the POST");
    const open = [...crashPoints.during, ...crashPoints.after];
    expect(known.toSorted()).toEqual((rotatesWithKeys ? lost : open).toSorted());
    const paid = [...ended].filter(([, code]) => code === "succeeded");
    expect(paid.filter(([id]) => !charges.has(id))).toEqual([]);
  },
);
