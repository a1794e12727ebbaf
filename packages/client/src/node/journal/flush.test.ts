import { spawnSync } from "node:child_process";
import { readFile, type FileHandle, type FileReadOptions } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { afterEach, expect, it, vi } from "vitest";

import {
  closedJournal,
  entry,
  everyFile,
  idsIn,
  journalPath,
} from "../../../test/journal-folder.ts";
import { openJournal } from "../index.ts";

afterEach(() => {
  vi.restoreAllMocks();
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
  const all = vi.spyOn(files, "sync");
  await using journal = await openJournal(path);
  expect(data).toHaveBeenCalledTimes(1);
  // The flushes of the lock and of the folder.
  expect(all).toHaveBeenCalledTimes(2);
  expect(await journal.get("shoe")).toBeUndefined();
});

it("continues to read after a short read", async () => {
  const path = await closedJournal(["shoe"], ["hat"]);
  const before = await readFile(path);
  const files = await everyFile();
  // The method of all files.
  const read = Reflect.get<FileHandle, "read">(files, "read");
  vi.spyOn(files, "read").mockImplementation(function few(this: unknown, options: unknown) {
    return Reflect.apply(read, this, [{ ...(options as FileReadOptions), length: 7 }]);
  } as typeof files.read);
  await using again = await openJournal(path);
  for (const id of ["shoe", "hat"]) expect(await again.get(id)).toEqual(entry(id));
  expect(await readFile(path)).toEqual(before);
});

it("rejects every call after a failed write, and removes the incomplete lines", async () => {
  const path = await journalPath();
  const journal = await openJournal(path);
  await journal.put(entry("shoe"));
  const cause = Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
  vi.spyOn(await everyFile(), "datasync").mockRejectedValueOnce(cause);
  const puts = [journal.put(entry("hat")), journal.put(entry("coat"))];
  const [first, second] = await Promise.allSettled(puts);
  expect(first).toMatchObject({
    reason: {
      code: "invalid_config",
      cause,
      message: `The journal ${path} could not be written (EIO), and accepts no further entries. Free space on the disk or fix it, then run the batch again: it continues.`,
    },
  });
  expect(second?.status).toBe("rejected");
  await expect(journal.put(entry("sock"))).rejects.toThrow("accepts no further entries");
  expect(await journal.get("shoe")).toEqual(entry("shoe"));
  expect(await journal.get("hat")).toBeUndefined();
  await journal.close();
  expect(await idsIn(path, ["shoe", "hat"])).toEqual(["shoe"]);
});

it("reports that a file cannot grow, and continues once it can", async () => {
  const path = await journalPath();
  const program = fileURLToPath(new URL("../../../test/fill-journal.ts", import.meta.url));
  const node = `"${process.execPath}" --conditions=@tryon/source "${program}" "${path}"`;
  // In blocks of 512 or 1,024 bytes: a part of the failing line is written.
  const { stdout, stderr } = spawnSync("sh", ["-c", `ulimit -f 4 && exec ${node}`]);
  expect(String(stderr)).toBe("");
  // The program prints nothing else.
  const { count, errors } = JSON.parse(String(stdout)) as { count: number; errors: string[] };
  expect(errors).toEqual([
    expect.stringContaining("(EFBIG), and accepts no further entries"),
    expect.stringContaining("accepts no further entries"),
  ]);
  expect(count).toBeGreaterThan(5);
  const last = `item-${count - 1}`;
  expect(await idsIn(path, [last, `item-${count}`])).toEqual([last]);
  await using journal = await openJournal(path);
  await journal.put(entry("next"));
});
