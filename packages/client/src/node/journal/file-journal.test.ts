import { chmod, link, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import type { FileHandle, FileReadOptions } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { pathToFileURL } from "node:url";

import { isTryOnError } from "@tryon/client";
import * as fc from "fast-check";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { closedJournal, entry, everyFile, journalPath } from "../../../test/journal-folder.ts";
import { journalSuite } from "../../../test/journal-suite.ts";
import { collect, failure } from "../../../test/service.ts";
import { openJournal, type FileJournal } from "../index.ts";

const header = '{"journal":"tryon-batch","version":1}';
const clothes = ["shoe", "Häkel-👗", "coat", "sock"];

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a journal in a file", () => {
  journalSuite(async () => {
    const path = await journalPath();
    let opened: FileJournal | undefined;
    onTestFinished(() => opened?.close());
    return {
      open: async () => {
        await opened?.close();
        opened = await openJournal(pathToFileURL(path));
        return opened;
      },
      clear: async () => {
        await opened?.close();
        await writeFile(path, "");
      },
      contents: () => readFile(path, "utf8"),
    };
  });
});

it("lists the last entries at the time of the call, in order, and continues after a short read", async () => {
  const files = await everyFile();
  // The method of all files.
  const read = Reflect.get<FileHandle, "read">(files, "read");
  vi.spyOn(files, "read").mockImplementation(function few(this: unknown, options: unknown) {
    return Reflect.apply(read, this, [{ ...(options as FileReadOptions), length: 7 }]);
  } as typeof files.read);
  const path = await closedJournal(["coat"], ["sock"]);
  await using journal = await openJournal(path);
  const [shoe, hat] = [entry("shoe"), entry("hat")];
  for (const one of [entry("shoe", { digest: "1" }), hat, shoe]) await journal.put(one);
  const entries = journal.list();
  const first = await entries.next();
  await journal.put(entry("hat", { digest: "2" }));
  const listed = [first.value, ...(await collect(entries))];
  expect(listed).toEqual([entry("coat"), entry("sock"), hat, shoe]);
});

it("reads only the line of an item, and a series of items at once", async () => {
  const path = await journalPath();
  const ids = Array.from({ length: 400 }, (_, index) => `sku-${index}`);
  const long = entry("long", { digest: "5e".repeat(50_000) });
  await using journal = await openJournal(path);
  for (const id of ids) void journal.put(entry(id));
  await journal.put(long);
  const files = await everyFile();
  const read = vi.spyOn(files, "read");
  /** Returns the numbers of bytes that the calls ask for. */
  const lengths = (): number[] => {
    // The journal reads into buffers.
    const all = read.mock.calls.map(([given]) => (given as { buffer: Buffer }).buffer.length);
    read.mockClear();
    return all;
  };
  expect(await journal.get("long")).toEqual(long);
  expect(lengths()).toHaveLength(2);
  const line = JSON.stringify(entry("sku-300")).length;
  for (const id of ["sku-300", "sku-200", "sku-100"])
    expect(await journal.get(id)).toEqual(entry(id));
  const single = lengths();
  expect(single).toHaveLength(3);
  for (const length of single) expect(length).toBeLessThan(line + 60);
  for (const id of ids) expect(await journal.get(id)).toEqual(entry(id));
  expect(lengths()).toEqual([expect.any(Number), 2 ** 18]);
});

it("writes a header and one line per entry into a file that only its owner can read", async () => {
  const path = await closedJournal(["shoe"]);
  const modeOf = async (): Promise<number> => (await stat(path)).mode & 0o777;
  expect(await modeOf()).toBe(0o600);
  await chmod(path, 0o666);
  await (await openJournal(path)).close();
  expect(await modeOf()).toBe(0o600);
  expect((await readFile(path, "utf8")).split("\n")).toEqual([
    header,
    '{"id":"shoe","state":"sending","idempotencyKey":"key-of-shoe","digest":"5e","sync":true,"sentAt":1800000000000,"sum":"022c4568"}',
    "",
  ]);
});

it("resolves once an entry is on disk, and shares one flush between concurrent entries", async () => {
  const path = await journalPath();
  await using journal = await openJournal(path);
  const flushes: { end: () => void; entries: number }[] = [];
  vi.spyOn(await everyFile(), "datasync").mockImplementation(async () => {
    const entries = (await readFile(path, "utf8")).split("\n").length - 2;
    await new Promise<void>((end) => flushes.push({ end, entries }));
  });
  const resolved: string[] = [];
  const put = async (id: string): Promise<void> => {
    await journal.put(entry(id));
    resolved.push(id);
  };
  const first = put("first");
  await vi.waitUntil(() => flushes.length === 1);
  const ids = Array.from({ length: 50 }, (_, index) => String(index));
  const more = ids.map(put);
  expect(resolved).toEqual([]);
  expect(await journal.get("first")).toBeUndefined();
  flushes[0]?.end();
  await first;
  await vi.waitUntil(() => flushes.length === 2);
  expect(resolved).toEqual(["first"]);
  flushes[1]?.end();
  await Promise.all(more);
  expect(flushes.map(({ entries }) => entries)).toEqual([1, 51]);
  expect(resolved).toEqual(["first", ...ids]);
});

it("flushes existing entries before it uses them, since a killed process may not have", async () => {
  const path = await closedJournal();
  const files = await everyFile();
  const data = vi.spyOn(files, "datasync");
  const others = vi.spyOn(files, "sync");
  await (await openJournal(path)).close();
  expect(data).toHaveBeenCalledTimes(1);
  // The flushes of the lock and of the folder.
  expect(others).toHaveBeenCalledTimes(2);
});

it.each(["appendFile", "datasync"] as const)(
  "rejects every call after a failed %s, removes the incomplete lines, and continues when it is opened again",
  async (name) => {
    const path = await journalPath();
    const journal = await openJournal(path);
    await journal.put(entry("shoe"));
    const cause = Object.assign(new Error("EFBIG: file too large"), { code: "EFBIG" });
    vi.spyOn(await everyFile(), name).mockImplementationOnce(async (text: unknown) => {
      if (typeof text === "string") await writeFile(path, text.slice(0, 200), { flag: "a" });
      throw cause;
    });
    const [hat, coat] = [journal.put(entry("hat")), journal.put(entry("coat"))];
    const message = `The journal ${path} could not be written (EFBIG), and accepts no further entries. Free space on the disk or fix it, then run the batch again: it continues.`;
    await expect(hat).rejects.toMatchObject({ code: "invalid_config", cause, message });
    for (const later of [coat, journal.put(entry("sock"))]) {
      await expect(later).rejects.toThrow("accepts no further entries");
    }
    expect(await journal.get("shoe")).toEqual(entry("shoe"));
    expect(await journal.get("hat")).toBeUndefined();
    expect((await readFile(path, "utf8")).split("\n")).toHaveLength(3);
    await journal.close();
    await using again = await openJournal(path);
    await again.put(entry("next"));
    expect(await collect(again.list())).toEqual([entry("shoe"), entry("next")]);
  },
);

it("rejects calls after it is closed, and can be closed twice", async () => {
  const path = await journalPath();
  const journal = await openJournal(path);
  const put = journal.put(entry("shoe"));
  const closed = Promise.all([journal.close(), journal.close()]);
  const calls = [journal.put(entry("hat")), journal.get("shoe"), collect(journal.list())];
  const message = expect.stringContaining(`The journal ${path} is closed.`);
  for (const call of calls) {
    await expect(call).rejects.toMatchObject({ code: "invalid_config", message });
  }
  await Promise.all([put, closed]);
  await using again = await openJournal(path);
  expect(await collect(again.list())).toEqual([entry("shoe")]);
});

it.skipIf(process.platform === "win32")("rejects a link", async () => {
  const path = await closedJournal();
  const [linked, none, second] = [`${path}.link`, `${path}.dangling`, `${path}.second`];
  await symlink(path, linked);
  await symlink(`${path}.none`, none);
  for (const given of [linked, none]) {
    await expect(openJournal(given)).rejects.toMatchObject({
      code: "invalid_config",
      message: `The journal ${given} cannot be opened (ELOOP). The path is a link. Use the path of the file.`,
    });
  }
  await expect(stat(`${path}.none`)).rejects.toThrow("ENOENT");
  await link(path, second);
  for (const given of [path, second]) {
    await expect(openJournal(given)).rejects.toThrow("has several hard links");
  }
});

it.each([
  ["FOLDER", "(EISDIR). The path is a folder. Use the path of a file."],
  ["FOLDER/none/run.ndjson", "(ENOENT). Create its folder first."],
  ["FOLDER/run.ndjson/run.ndjson", "(ENOTDIR). Use a file on a local disk"],
  ["/dev/null", "must be a regular file. Use another path."],
])("explains what is wrong with the path %s and what to do", async (path, message) => {
  const folder = dirname(await closedJournal());
  const error = await failure(openJournal(path.replace("FOLDER", folder)));
  expect(isTryOnError(error, "invalid_config")).toBe(true);
  expect(error).toMatchObject({ message: expect.stringContaining(message) });
  expect(JSON.stringify(error)).not.toContain("cause");
});

it.each([
  ["shopping list", "is not a journal"],
  ["shopping list\neggs\n", "is not a journal"],
  ["{}\n", "is not a journal"],
  ['{"journal":"tryon-batch"}\n', "is not a journal"],
  [`${header}x\n`, "is not a journal"],
  ["x".repeat(3_000_000), "is not a journal"],
  ['{"journal":"tryon-batch","version":2}\n{"whatever":true}\n', "by a newer release"],
])("rejects another file (%#) and leaves it unchanged", async (text, problem) => {
  const path = await journalPath();
  await writeFile(path, text);
  await chmod(path, 0o664);
  const message = expect.stringMatching(new RegExp(`${problem}.*Nothing was changed.`));
  expect(await failure(openJournal(path))).toMatchObject({ code: "invalid_config", message });
  expect(await readFile(path, "utf8")).toBe(text);
  expect((await stat(path)).mode & 0o777).toBe(0o664);
  // The lock is released.
  expect(await readdir(dirname(path))).toEqual([basename(path)]);
});

/** Creates a journal as {@link closedJournal}, and returns the position of each line, too. */
async function written(...writes: readonly (readonly string[])[]) {
  const path = await closedJournal(...writes);
  const bytes = await readFile(path);
  const starts = [0];
  bytes.forEach((byte, at) => byte === 10 && starts.push(at + 1));
  return { path, bytes, starts };
}

/** Opens a journal of these bytes, checks that it accepts further entries, and returns the items before them. */
async function idsOf(original: string, bytes: Uint8Array): Promise<string[]> {
  const path = `${original}.${bytes.length}`;
  await writeFile(path, bytes);
  await using journal = await openJournal(path);
  const entries = await Promise.all(clothes.map((id) => journal.get(id)));
  const known = entries.flatMap((one) => one?.id ?? []);
  await journal.put(entry("next"));
  expect(await collect(journal.list())).toEqual([...known, "next"].map((id) => entry(id)));
  return known;
}

describe("a crash during a write", () => {
  it("at any byte, also within a character, keeps all complete entries before it", async () => {
    const { path, bytes, starts } = await written(["shoe"], ["Häkel-👗", "coat"]);
    const lengths = Array.from(bytes, (_, length) => length);
    // Concurrently, since most of the time is spent on files.
    const known = await Promise.all(lengths.map((end) => idsOf(path, bytes.subarray(0, end))));
    // An entry is complete even if its line break is missing.
    const complete = lengths.map((end) => starts.filter((start) => start <= end + 1).length - 2);
    expect(known).toEqual(complete.map((count) => clothes.slice(0, Math.max(0, count))));
  });

  it("of the machine keeps all earlier writes, if any part of the last one is missing", async () => {
    const { path, bytes, starts } = await written(["shoe"], clothes.slice(1));
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), async (from, to) => {
        const first = starts[2] ?? 0;
        const hole = [from, to].map((at) => first + (at % (bytes.length - first)));
        const damaged = Buffer.from(bytes).fill(0, Math.min(...hole), Math.max(...hole) + 1);
        const known = await idsOf(path, damaged);
        expect(known).toEqual(clothes.slice(0, Math.max(1, known.length)));
      }),
      { numRuns: cases(200) },
    );
  });
});

describe("damage", () => {
  it("before the last write is an error that names the line, and leaves the file unchanged", async () => {
    const { path, bytes, starts } = await written(["shoe", "hat"], ["coat"], ["sock"]);
    await fc.assert(
      // A crash leaves zeros, but not before the last write.
      fc.asyncProperty(fc.nat(), fc.oneof(fc.nat(255), fc.constant(0)), async (number, byte) => {
        const first = starts[1] ?? 0;
        const at = first + (number % ((starts[4] ?? 0) - first));
        if (bytes[at] === byte) return;
        const line = starts.filter((start) => start <= at).length;
        // Without its line break, a line includes the next one.
        const damaged = Buffer.from(bytes).fill(byte, at, at + 1);
        await writeFile(path, damaged);
        await expect(openJournal(path)).rejects.toMatchObject({
          code: "invalid_config",
          message: expect.stringContaining(`The journal ${path} is damaged in line ${line}: `),
        });
        expect(await readFile(path)).toEqual(damaged);
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
    const { path, bytes } = await written(["shoe"], ["hat"]);
    await using journal = await openJournal(path);
    bytes[header.length + 9] = 120;
    await writeFile(path, bytes);
    await expect(journal.get("shoe")).rejects.toThrow(`was changed at byte ${header.length + 1}`);
    expect(await journal.get("hat")).toEqual(entry("hat"));
  });
});
