import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join, relative } from "node:path";

import { afterEach, expect, it, vi } from "vitest";

import { entry, everyFile, journalPath } from "../../testing/journal-folder.ts";
import { openJournal } from "../index.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("is open once in a process, by whatever path", async () => {
  const path = await journalPath();
  const folder = `${await journalPath()}.folder`;
  await symlink(dirname(path), folder);
  const other = join(folder, basename(path));
  const journal = await openJournal(other);
  for (const again of [path, relative(process.cwd(), path), other]) {
    await expect(openJournal(again)).rejects.toMatchObject({
      code: "invalid_config",
      message: `The journal ${path} is open already, in this very process (${process.pid}). Close it before it is opened again: a journal belongs to one batch at a time.`,
    });
  }
  await journal.put(entry("shoe"));
  await journal.close();
  await using again = await openJournal(path);
  expect(await again.get("shoe")).toEqual(entry("shoe"));
});

it("is open once when it is opened many times at once", async () => {
  const path = await journalPath();
  const opened = await Promise.allSettled(Array.from({ length: 20 }, () => openJournal(path)));
  const [won, ...more] = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  expect(more).toEqual([]);
  await won?.close();
  expect(await readdir(dirname(path))).toEqual([basename(path)]);
});

it("is refused while another process has it, by its number", async () => {
  const path = await journalPath();
  await locked(path, { pid: process.ppid });
  await expect(openJournal(path)).rejects.toMatchObject({
    code: "invalid_config",
    message: `The journal ${path} is held by process ${process.ppid}. Two at once could pay twice: wait for it to end. If it is another program by now, delete ${path}.lock.`,
  });
});

it("is refused while another machine has it", async () => {
  const path = await journalPath();
  await locked(path, { host: "elsewhere" });
  await expect(openJournal(path)).rejects.toThrow(
    `is held by process ${process.pid} on elsewhere, another machine than this. Two at once could pay twice. Delete ${path}.lock once you know`,
  );
});

it("is taken over from a process that is gone, also when its number was given to another", async () => {
  const { pid: gone } = spawnSync(process.execPath, ["--version"]);
  for (const holder of [{ pid: gone }, { began: "an earlier life" }]) {
    const path = await journalPath();
    await locked(path, holder);
    const opened = await Promise.allSettled([openJournal(path), openJournal(path)]);
    const won = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(won).toHaveLength(1);
    await expect(openJournal(path)).rejects.toThrow("in this very process");
    await won[0]?.close();
    expect(await readdir(dirname(path))).toEqual([basename(path)]);
  }
});

it("is taken over from a process that was killed while it took it over", async () => {
  const path = await journalPath();
  const { pid: gone } = spawnSync(process.execPath, ["--version"]);
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
  await locked(path, { id: first, pid: gone });
  await locked(path, { id: second, pid: gone }, `.${first}`);
  await locked(path, { id: third, pid: gone }, `.${first}.${second}`);
  await (await openJournal(path)).close();
  expect(await readdir(dirname(path))).toEqual([basename(path)]);
});

it("is refused, and the file left alone, where something else stands in the place of the lock", async () => {
  const { pid: gone } = spawnSync(process.execPath, ["--version"]);
  const lock = { id: randomUUID(), pid: gone, host: hostname(), began: null };
  for (const text of [
    "",
    "mine",
    "{}",
    '{"pid":1}',
    JSON.stringify({ ...lock, id: "/../../elsewhere" }),
    JSON.stringify({ ...lock, id: lock.id.replace("-", "/") }),
    // More than is read.
    `${JSON.stringify(lock)}${" ".repeat(5_000)}`,
  ]) {
    const path = await journalPath();
    await writeFile(`${path}.lock`, text);
    await expect(openJournal(path)).rejects.toThrow(`${path}.lock is in the way`);
    expect(await readFile(`${path}.lock`, "utf8")).toBe(text);
  }
});

it.skipIf(process.platform === "win32")(
  "is refused without reading where its lock is a link, a pipe or a folder",
  async () => {
    const [dead, pipe] = [await journalPath(), await journalPath()];
    const { pid: gone } = spawnSync(process.execPath, ["--version"]);
    await locked(dead, { pid: gone });
    makePipe(pipe);
    for (const target of [`${dead}.lock`, `${dead}.none`, "/dev/zero", pipe, dirname(dead)]) {
      const path = await journalPath();
      await symlink(target, `${path}.lock`);
      await expect(openJournal(path)).rejects.toThrow(`${path}.lock is in the way`);
    }
    for (const make of [makePipe, mkdir]) {
      const path = await journalPath();
      await make(`${path}.lock`);
      await expect(openJournal(path)).rejects.toThrow(`${path}.lock is in the way`);
    }
  },
);

it("leaves the lock of another process that took it over at the same time", async () => {
  const path = await journalPath();
  const { pid: gone } = spawnSync(process.execPath, ["--version"]);
  await locked(path, { pid: gone });
  // Its own lock is written first, then the one under which it replaces the lock of the dead process.
  vi.spyOn(await everyFile(), "sync")
    .mockImplementationOnce(async () => undefined)
    .mockImplementationOnce(() => locked(path, { pid: process.ppid }));
  await expect(openJournal(path)).rejects.toThrow(`is held by process ${process.ppid}.`);
  expect(await readFile(`${path}.lock`, "utf8")).toContain(String(process.ppid));
});

it("leaves a lock alone that is no longer its own", async () => {
  const path = await journalPath();
  const journal = await openJournal(path);
  const id = randomUUID();
  await locked(path, { id });
  await journal.close();
  expect(await readFile(`${path}.lock`, "utf8")).toContain(id);
});

it("is given back when the file turns out to be no journal", async () => {
  const path = await journalPath();
  await writeFile(path, "shopping list\n");
  await expect(openJournal(path)).rejects.toThrow("is no journal");
  expect(await readdir(dirname(path))).toEqual([basename(path)]);
});

/** Locks a journal in the name of somebody else. */
async function locked(path: string, holder: Readonly<Record<string, unknown>>, behind = "") {
  const lock = { id: randomUUID(), pid: process.pid, host: hostname(), began: null, ...holder };
  await writeFile(`${path}.lock${behind}`, JSON.stringify(lock));
}

function makePipe(path: string): void {
  spawnSync("sh", ["-c", `mkfifo "${path}"`]);
}
