import { readFile, writeFile } from "node:fs/promises";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { entry, journalPath } from "../../../test/journal-folder.ts";
import { openJournal } from "../index.ts";

const header = '{"journal":"tryon-batch","version":1}\n';

/** Writes a journal, one write per list of items. Returns the position of each line. */
async function written(
  ...writes: readonly (readonly string[])[]
): Promise<{ path: string; bytes: Buffer; begins: number[] }> {
  const path = await journalPath();
  const journal = await openJournal(path);
  for (const ids of writes) await Promise.all(ids.map((id) => journal.put(entry(id))));
  await journal.close();
  const bytes = await readFile(path);
  const begins = [0];
  bytes.forEach((byte, at) => byte === 10 && begins.push(at + 1));
  return { path, bytes, begins };
}

/** Returns the items that a file contains, and checks that it accepts further entries. */
async function told(
  original: string,
  bytes: Uint8Array,
  ids: readonly string[],
): Promise<string[]> {
  const path = `${original}.${bytes.length}`;
  await writeFile(path, bytes);
  const journal = await openJournal(path);
  const known: string[] = [];
  for (const id of ids) if ((await journal.get(id)) !== undefined) known.push(id);
  await journal.put(entry("next"));
  await journal.close();
  await using again = await openJournal(path);
  for (const id of [...known, "next"]) expect(await again.get(id)).toEqual(entry(id));
  return known;
}

/** Runs a function for each number concurrently, since most of the time is spent on files. */
async function atOnce(from: number, to: number, work: (number: number) => Promise<void>) {
  await Promise.all(Array.from({ length: to - from }, (_, index) => work(from + index)));
}

describe("a crash during a write", () => {
  it("at any byte of the header leaves a new journal", async () => {
    const { path } = await written();
    await atOnce(0, header.length, async (length) => {
      expect(await told(path, Buffer.from(header.slice(0, length)), [])).toEqual([]);
    });
  });

  it("at any byte of an entry, also within a character, keeps all entries before it", async () => {
    const { path, bytes, begins } = await written(["shoe"], ["Häkel-👗"]);
    const [, , last = 0] = begins;
    await atOnce(last, bytes.length - 1, async (length) => {
      expect(await told(path, bytes.subarray(0, length), ["shoe", "Häkel-👗"])).toEqual(["shoe"]);
    });
  });

  it("before the line break keeps the entry", async () => {
    const { path, bytes } = await written(["shoe"], ["hat"]);
    expect(await told(path, bytes.subarray(0, -1), ["shoe", "hat"])).toEqual(["shoe", "hat"]);
  });

  it("at any byte of a write of several entries keeps the complete ones", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (number) => {
        const all = ["shoe", "hat", "coat", "sock"];
        const { path, bytes, begins } = await written(["shoe"], ["hat", "coat", "sock"]);
        const [, , first = 0] = begins;
        const length = first + (number % (bytes.length - first));
        const whole = begins.filter((begin) => begin <= length + 1).length - 2;
        expect(await told(path, bytes.subarray(0, length), all)).toEqual(all.slice(0, whole));
      }),
      { numRuns: cases(150) },
    );
  });

  it("of the machine keeps all earlier writes, if any part of the last one is missing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), async (from, to) => {
        const all = ["shoe", "hat", "coat", "sock"];
        const { path, bytes, begins } = await written(["shoe"], ["hat", "coat", "sock"]);
        const [, , first = 0] = begins;
        const hole = [from, to].map((at) => first + (at % (bytes.length - first)));
        bytes.fill(0, Math.min(...hole), Math.max(...hole) + 1);
        const known = await told(path, bytes, all);
        expect(known).toEqual(all.slice(0, known.length));
        expect(known[0]).toBe("shoe");
      }),
      { numRuns: cases(200) },
    );
  });
});

describe("damage", () => {
  it("before the last write is an error that names the line, and leaves the file unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(255), async (number, byte) => {
        const { path, bytes, begins } = await written(["shoe", "hat"], ["coat"], ["sock"]);
        const last = begins[4] ?? 0;
        const at = header.length + (number % (last - header.length));
        if (bytes[at] === byte) return;
        const line = begins.filter((begin) => begin <= at).length;
        // Without its line break, a line includes the next one.
        bytes[at] = byte;
        await writeFile(path, bytes);
        await expect(openJournal(path)).rejects.toMatchObject({
          code: "invalid_config",
          message: expect.stringContaining(`The journal ${path} is damaged in line ${line}: `),
        });
        expect(await readFile(path)).toEqual(bytes);
      }),
      { numRuns: cases(250) },
    );
  });

  it("of the last line is an error, unless a crash can have caused it", async () => {
    const { path, bytes } = await written(["shoe"], ["hat"]);
    bytes[bytes.length - 3] = 120;
    await writeFile(path, bytes);
    await expect(openJournal(path)).rejects.toThrow("is damaged in line 3");
  });

  it("of an open journal is an error of `get`", async () => {
    const { path, bytes, begins } = await written(["shoe"], ["hat"]);
    await using journal = await openJournal(path);
    bytes[(begins[1] ?? 0) + 9] = 120;
    await writeFile(path, bytes);
    await expect(journal.get("shoe")).rejects.toThrow(`was changed at byte ${header.length}`);
    expect(await journal.get("hat")).toEqual(entry("hat"));
  });
});
