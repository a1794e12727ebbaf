import { readFile, writeFile } from "node:fs/promises";

import { assert, asyncProperty, nat } from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { closedJournal, entry, idsIn } from "../../../test/journal-folder.ts";
import { openJournal } from "../index.ts";

const header = '{"journal":"tryon-batch","version":1}\n';
const clothes = ["shoe", "hat", "coat", "sock"];

/** Creates a journal as {@link closedJournal}, and returns the position of each line, too. */
async function written(...writes: readonly (readonly string[])[]) {
  const path = await closedJournal(...writes);
  const bytes = await readFile(path);
  const starts = [0];
  bytes.forEach((byte, at) => byte === 10 && starts.push(at + 1));
  return { path, bytes, starts };
}

/** Returns the items that a file contains, and checks that it accepts further entries. */
async function idsOf(
  original: string,
  bytes: Uint8Array,
  ids: readonly string[],
): Promise<string[]> {
  const path = `${original}.${bytes.length}`;
  await writeFile(path, bytes);
  const known = await idsIn(path, ids);
  const journal = await openJournal(path);
  await journal.put(entry("next"));
  await journal.close();
  await using again = await openJournal(path);
  for (const id of [...known, "next"]) expect(await again.get(id)).toEqual(entry(id));
  return known;
}

/** Runs a function for each number concurrently, since most of the time is spent on files. */
async function forEach(from: number, to: number, work: (number: number) => Promise<void>) {
  await Promise.all(Array.from({ length: to - from }, (_, index) => work(from + index)));
}

describe("a crash during a write", () => {
  it("at any byte of the header leaves a new journal", async () => {
    const { path } = await written();
    await forEach(0, header.length, async (length) => {
      expect(await idsOf(path, Buffer.from(header.slice(0, length)), [])).toEqual([]);
    });
  });

  it("at any byte of an entry, also within a character, keeps all entries before it", async () => {
    const { path, bytes, starts } = await written(["shoe"], ["Häkel-👗"]);
    const ids = ["shoe", "Häkel-👗"];
    await forEach(starts[2] ?? 0, bytes.length - 1, async (length) => {
      expect(await idsOf(path, bytes.subarray(0, length), ids)).toEqual(["shoe"]);
    });
    // Only the line break is missing.
    expect(await idsOf(path, bytes.subarray(0, -1), ids)).toEqual(ids);
  });

  it("at any byte of a write of several entries keeps the complete ones", async () => {
    await assert(
      asyncProperty(nat(), async (number) => {
        const { path, bytes, starts } = await written(["shoe"], ["hat", "coat", "sock"]);
        const first = starts[2] ?? 0;
        const length = first + (number % (bytes.length - first));
        const whole = starts.filter((start) => start <= length + 1).length - 2;
        const known = await idsOf(path, bytes.subarray(0, length), clothes);
        expect(known).toEqual(clothes.slice(0, whole));
      }),
      { numRuns: cases(150) },
    );
  });

  it("of the machine keeps all earlier writes, if any part of the last one is missing", async () => {
    await assert(
      asyncProperty(nat(), nat(), async (from, to) => {
        const { path, bytes, starts } = await written(["shoe"], ["hat", "coat", "sock"]);
        const first = starts[2] ?? 0;
        const hole = [from, to].map((at) => first + (at % (bytes.length - first)));
        bytes.fill(0, Math.min(...hole), Math.max(...hole) + 1);
        const known = await idsOf(path, bytes, clothes);
        expect(known).toEqual(clothes.slice(0, known.length));
        expect(known[0]).toBe("shoe");
      }),
      { numRuns: cases(200) },
    );
  });
});

describe("damage", () => {
  it("before the last write is an error that names the line, and leaves the file unchanged", async () => {
    await assert(
      asyncProperty(nat(), nat(255), async (number, byte) => {
        const { path, bytes, starts } = await written(["shoe", "hat"], ["coat"], ["sock"]);
        const last = starts[4] ?? 0;
        const at = header.length + (number % (last - header.length));
        if (bytes[at] === byte) return;
        const line = starts.filter((start) => start <= at).length;
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
    const { path, bytes, starts } = await written(["shoe"], ["hat"]);
    await using journal = await openJournal(path);
    bytes[(starts[1] ?? 0) + 9] = 120;
    await writeFile(path, bytes);
    await expect(journal.get("shoe")).rejects.toThrow(`was changed at byte ${header.length}`);
    expect(await journal.get("hat")).toEqual(entry("hat"));
  });
});
