import { optionTable } from "@tryon/mock";
import { assert, asyncProperty } from "fast-check";
import { expect } from "vitest";

import { networkFaultNames } from "./network-faults.ts";
import { faultScenarios, runScenario } from "./fault-scenario.ts";

/** Undergoes many faultScenarios, the same ones each time, and gives a table of what they were. */
export async function runScenarios(seed: number, count: number): Promise<string> {
  const meetings = new Map<string, number>();
  const ends = new Map<string, number>();
  const lengths: number[] = [];
  await assert(
    asyncProperty(faultScenarios, async (scenario) => {
      const { violations, struck, code } = await runScenario(scenario);
      expect({ violations, code }).toEqual({ violations: [], code });
      lengths.push(struck.length);
      add(ends, code);
      for (const name of new Set(struck)) {
        for (const [option, value] of Object.entries(scenario.options)) {
          add(meetings, `${name} × ${option}=${value}`);
        }
      }
    }),
    { seed, numRuns: count },
  );
  const several = lengths.filter((length) => length >= 2).length;
  expect(lengths.length).toBe(count);
  expect(several).toBeGreaterThanOrEqual(count / 2);
  const rows = networkFaultNames.map((name) => {
    const counts = optionTable.flatMap(({ id, values }) =>
      values.map((value) => meetings.get(`${name} × ${id}=${value}`) ?? 0),
    );
    expect(Math.min(...counts), `${name} with an option value`).toBeGreaterThanOrEqual(
      // How often each fault has to meet each value of each option.
      count / 250,
    );
    const first = optionTable[0];
    const total = first.values.reduce(
      (sum, value) => sum + (meetings.get(`${name} × ${first.id}=${value}`) ?? 0),
      0,
    );
    return `${name.padEnd(22)} ${String(total).padStart(6)} ${String(Math.min(...counts)).padStart(6)}`;
  });
  const ended = [...ends].map(([code, number]) => `${code} ${number}`).join(", ");
  return [
    `${count} try-ons (seed ${seed}), ${several} of them with two faults or more; they ended in: ${ended}`,
    `${"fault".padEnd(22)}  struck  least often with one value of an option`,
    ...rows,
  ].join("\n");
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
