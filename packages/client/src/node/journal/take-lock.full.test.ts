import { readFile, rm } from "node:fs/promises";

import { inNamespaces } from "@tryon/test-kit/namespaces";
import { describe, expect, it, onTestFinished } from "vitest";

import { journalPath, temporaryFolder } from "../../../test/journal-folder.ts";
import type { Order } from "../../../test/journal-racer.ts";
import { startProgram } from "../../../test/program.ts";
import { openJournal } from "../index.ts";

const container = await inNamespaces();
const foreignProc = await inNamespaces(["--pid"]);
const otherClock = await inNamespaces(["--time", "--boottime", "1000"]);

/** Returns the path of a new journal, and a function that starts a program to open it, in namespaces if it gets a command. */
async function setUp() {
  const path = await journalPath();
  const cache = await temporaryFolder();
  const start = async (within: readonly string[] = []) => {
    const racer = startProgram<string>("journal-racer.ts", [], cache, [], within);
    onTestFinished(() => racer.kill());
    await racer.next();
    const open = async (journal = path) => {
      racer.send({ path: journal, at: 0 } satisfies Order);
      return racer.next();
    };
    return { open, kill: racer.kill };
  };
  return { path, start };
}

const refused = (path: string) =>
  expect.stringMatching(
    `^TryOnError: The journal ${path} was locked by process .+ Delete ${path}.lock once`,
  );

describe("the host name is the same", { timeout: 120_000 }, () => {
  it.skipIf(!container)(
    "refuses a journal that another container or its host has open, also for equal process ids",
    async () => {
      const { path, start } = await setUp();
      const first = await start(container);
      expect(await first.open()).toBe("opened");
      expect(JSON.parse(await readFile(`${path}.lock`, "utf8"))).toMatchObject({ pid: 1 });
      expect(await (await start(container)).open()).toEqual(refused(path));
      await expect(openJournal(path)).rejects.toThrow(`Delete ${path}.lock once`);
      const own = await journalPath();
      await using _ = await openJournal(own);
      expect(await first.open(own)).toEqual(refused(own));
    },
  );

  it.skipIf(!container)(
    "refuses the journal of a killed container until its lock is deleted",
    async () => {
      const { path, start } = await setUp();
      const first = await start(container);
      // Starts before the first one ends, whose number of the namespace it could get otherwise.
      const second = await start(container);
      expect(await first.open()).toBe("opened");
      await first.kill();
      expect(await second.open()).toEqual(refused(path));
      await rm(`${path}.lock`);
      expect(await second.open()).toBe("opened");
    },
  );

  it.skipIf(!foreignProc)(
    "refuses a locked journal if /proc shows the processes of another namespace",
    async () => {
      const { path, start } = await setUp();
      const first = await start(foreignProc);
      expect(await first.open()).toBe("opened");
      expect(await (await start(foreignProc)).open()).toEqual(refused(path));
      expect(await first.open()).toEqual(refused(path));
    },
  );

  it.skipIf(!otherClock)(
    "refuses the journal of a process whose start time another time namespace shows",
    async () => {
      const { path, start } = await setUp();
      expect(await (await start()).open()).toBe("opened");
      expect(await (await start(otherClock)).open()).toEqual(refused(path));
    },
  );
});
