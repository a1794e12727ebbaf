import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { expect, onTestFinished } from "vitest";

/** Resources that a program uses after a garbage collection. */
export interface Usage {
  /** Heap and buffers in bytes. */
  readonly memory: number;
  /** Open sockets, timers and others by kind, as Node names them. */
  readonly handles: Readonly<Record<string, number>>;
  readonly listeners: number;
}

/** Arguments of Node and variables for a program whose usage a test reads, and the function that reads it by the id of the process. */
export function soakProbe() {
  const folder = mkdtempSync(join(tmpdir(), "tryon-soak-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "usage.ndjson");
  writeFileSync(file, "");
  const lines = () => readFileSync(file, "utf8").split("\n").slice(0, -1);
  const probe = join(import.meta.dirname, "soak-probe.ts");
  return {
    args: ["--expose-gc", "--conditions=@tryon/source", "--import", probe],
    env: { TRYON_SOAK_FILE: file },
    read: async (pid: number): Promise<Usage> => {
      const count = lines().length;
      process.kill(pid, "SIGUSR2");
      await expect.poll(() => lines().length, { timeout: 10_000 }).toBe(count + 1);
      // The probe writes this form.
      return JSON.parse(lines()[count] ?? "") as Usage;
    },
  };
}

/** Connections and timers of each kind that a program may have at a moment, such as those of a poll. */
const passing = 2;

/** Time of a soak in minutes. */
const minutes = Number(process.env["TRYON_SOAK_MINUTES"] ?? 1);

/** Time limit of a test with a soak, in milliseconds. */
export const soakTimeout = minutes * 60_000 + 120_000;

/** Reads the usage once no connection is closing: two reads in a row have the same handles. */
async function settled(read: () => Promise<Usage>): Promise<Usage> {
  let usage = await read();
  await expect
    .poll(
      async () => {
        const { handles } = usage;
        usage = await read();
        return isDeepStrictEqual(usage.handles, handles);
      },
      { timeout: 20_000, interval: 500 },
    )
    .toBe(true);
  return usage;
}

/**
 * Repeats work for `TRYON_SOAK_MINUTES`, and expects about as many handles and no more listeners at the end than at the start,
 * and at most 4 MiB more memory. The start is after some rounds, which fill caches.
 *
 * @param perRound Bytes that the program has to keep of each round. @default 0
 * @returns the number of rounds
 */
export async function soak(
  work: (round: number) => Promise<void>,
  read: () => Promise<Usage>,
  perRound = 0,
): Promise<number> {
  let round = 0;
  for (; round < 20; round += 1) await work(round);
  const before = await settled(read);
  const end = performance.now() + minutes * 60_000;
  for (; performance.now() < end; round += 1) await work(round);
  const { memory, handles, listeners } = await settled(read);
  process.stdout.write(`${round} rounds, memory ${before.memory} to ${memory} bytes\n`);
  const more = Object.entries(handles).filter(
    ([kind, count]) => count > (before.handles[kind] ?? 0) + passing,
  );
  expect({ more, before: before.handles }).toEqual({ more: [], before: before.handles });
  expect(listeners).toBeLessThanOrEqual(before.listeners);
  expect(memory - before.memory).toBeLessThan(4 * 2 ** 20 + perRound * round);
  return round;
}
