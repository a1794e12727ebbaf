import { copyFile, readdir, readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setTimeout } from "node:timers/promises";

import { expect, it, onTestFinished } from "vitest";

import { journalPath, temporaryFolder } from "../../../test/journal-folder.ts";
import type { Order } from "../../../test/journal-racer.ts";
import { startProgram, type Program } from "../../../test/program.ts";
import { openJournal } from "../index.ts";

type Racer = Program<string>;

async function racers(count: number, cache: string): Promise<Racer[]> {
  const started: Racer[] = [];
  while (started.length < count) {
    const racer: Racer = startProgram("journal-racer.ts", [], cache);
    onTestFinished(() => racer.kill());
    // The first process fills the compile cache for the others.
    if (started.push(racer) === 1) await racer.next();
  }
  for (const racer of started.slice(1)) await racer.next();
  return started;
}

/** Lets all processes open the journal at the same time. */
function start(all: readonly Racer[], path: string): void {
  const order: Order = { path, at: Date.now() + 5 };
  for (const racer of all) racer.send(order);
}

async function lockOfKilledProcess(cache: string): Promise<{ file: string; id: string }> {
  const path = await journalPath();
  const [racer] = await racers(1, cache);
  racer?.send({ path, at: 0 });
  expect(await racer?.next()).toBe("opened");
  await racer?.kill();
  const file = `${path}.lock`;
  // The journal wrote it.
  const { id } = JSON.parse(await readFile(file, "utf8")) as { id: string };
  return { file, id };
}

it(
  "opens the journal of one or several killed processes in exactly one of many processes",
  { timeout: 300_000 },
  async () => {
    const cache = await temporaryFolder();
    const dead = await lockOfKilledProcess(cache);
    const all = await racers(8, cache);
    for (let round = 0; round < 120; round += 1) {
      const path = await journalPath();
      if (round % 3 > 0) await copyFile(dead.file, `${path}.lock`);
      // The process was killed while it replaced a lock.
      if (round % 3 > 1) await copyFile(dead.file, `${path}.lock.${dead.id}`);
      start(all, path);
      const outcomes = await Promise.all(all.map((racer) => racer.next()));
      const lost = outcomes.filter((outcome) => outcome !== "opened");
      const error = expect.stringContaining(`The journal ${path} is in use by process `);
      expect({ round, lost }).toEqual({ round, lost: Array.from({ length: 7 }, () => error) });
      for (const racer of all) racer.send("close");
      await expect.poll(() => readdir(dirname(path))).toEqual([basename(path)]);
    }
  },
);

it(
  "opens the journal after all processes that tried to open it were killed",
  { timeout: 300_000 },
  async () => {
    const cache = await temporaryFolder();
    const dead = await lockOfKilledProcess(cache);
    for (let round = 0; round < 20; round += 1) {
      const path = await journalPath();
      await copyFile(dead.file, `${path}.lock`);
      const all = await racers(3, cache);
      start(all, path);
      await setTimeout(5 + round / 2);
      await Promise.all(all.map((racer) => racer.kill()));
      await (await openJournal(path)).close();
      expect(await readdir(dirname(path))).not.toContain(`${basename(path)}.lock`);
    }
  },
);
