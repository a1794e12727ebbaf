import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join, relative } from "node:path";

import { afterEach, expect, it, vi } from "vitest";

import { everyFile, journalPath } from "../../../test/journal-folder.ts";
import { openJournal } from "../index.ts";

/** Id of a process that has ended. */
const { pid: gone } = spawnSync(process.execPath, ["--version"]);

afterEach(() => {
  vi.restoreAllMocks();
});

/** Lock of a running process, as `openJournal` writes it. */
async function ownLock(): Promise<Readonly<Record<string, unknown>>> {
  const path = await journalPath();
  await using _ = await openJournal(path);
  return JSON.parse(await readFile(`${path}.lock`, "utf8"));
}

/** Locks a journal in the name of another process of this PID namespace. */
async function locked(path: string, holder: Readonly<Record<string, unknown>>, behind = "") {
  const lock = { ...(await ownLock()), id: randomUUID(), startedAt: "", ...holder };
  await writeFile(`${path}.lock${behind}`, JSON.stringify(lock));
}

/** Returns the path of a journal with a lock. */
async function lockedPath(holder: Readonly<Record<string, unknown>>): Promise<string> {
  const path = await journalPath();
  await locked(path, holder);
  return path;
}

const makePipe = (path: string) => spawnSync("sh", ["-c", `mkfifo "${path}"`]);

it("opens a journal once in a process, by any path and in concurrent calls", async () => {
  const path = await journalPath();
  const folder = `${await journalPath()}.folder`;
  await symlink(dirname(path), folder);
  const other = join(folder, basename(path));
  const paths = [path, relative(process.cwd(), path), other];
  const opened = await Promise.allSettled([...paths, ...paths, ...paths].map(openJournal));
  const [journal, ...more] = opened.flatMap((one) =>
    one.status === "fulfilled" ? [one.value] : [],
  );
  expect([journal?.path, more]).toEqual([path, []]);
  for (const again of paths) {
    await expect(openJournal(again)).rejects.toMatchObject({
      code: "invalid_config",
      message: `The journal ${path} is already open in this process (${process.pid}). Close it before you open it again: only one batch at a time can use a journal.`,
    });
  }
  await journal?.close();
  expect(await readdir(dirname(path))).toEqual([basename(path)]);
  await (await openJournal(path)).close();
});

it.each([
  [
    { pid: process.ppid },
    `by process ${process.ppid}. Two processes could pay twice: wait until it ends. If the id now belongs to another program, delete LOCK.`,
  ],
  [
    { host: "elsewhere" },
    `by process ${process.pid} on another host, elsewhere. Two processes could pay twice. Delete LOCK once you are sure that this process has ended.`,
  ],
])("rejects a journal of %j", async (holder, text) => {
  const path = await lockedPath(holder);
  const message = `The journal ${path} is in use ${text.replace("LOCK", `${path}.lock`)}`;
  await expect(openJournal(path)).rejects.toMatchObject({ code: "invalid_config", message });
});

const elsewhere = [
  ["another container", { pid: gone, namespace: "boot pid:[1] time:[1]" }],
  ["a container whose process has the same id", { namespace: "boot pid:[1] time:[1]" }],
  ["an earlier release", { pid: gone, namespace: undefined }],
  ["a system that has no namespaces to read", { pid: gone, namespace: "" }],
  ["another system with this host name", { pid: gone, namespace: "another" }],
] as const;

it.each(elsewhere)(
  "rejects a journal with a lock of %s, and leaves the lock",
  async (_, holder) => {
    const path = await lockedPath(holder);
    const lock = await readFile(`${path}.lock`, "utf8");
    const { pid = process.pid } = holder as { readonly pid?: number };
    await expect(openJournal(path)).rejects.toMatchObject({
      code: "invalid_config",
      message: `The journal ${path} was locked by process ${pid}, possibly in another container, on another host named ${hostname()}, or before a restart. Two processes could pay twice. Delete ${path}.lock once you are sure that this process has ended.`,
    });
    expect(await readFile(`${path}.lock`, "utf8")).toBe(lock);
    expect(await readdir(dirname(path))).toEqual([basename(path), `${basename(path)}.lock`]);
  },
);

it.skipIf(process.platform !== "linux")(
  "names the boot, the PID namespace and the time namespace in a lock",
  async () => {
    const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8");
    const links = ["pid", "time"].map((name) => readlink(`/proc/self/ns/${name}`));
    const namespace = [boot.trim(), ...(await Promise.all(links))].join(" ");
    expect(await ownLock()).toMatchObject({ pid: process.pid, host: hostname(), namespace });
  },
);

it.skipIf(process.platform !== "linux")(
  "replaces no lock if /proc shows the processes of another namespace",
  async () => {
    const path = await lockedPath({ pid: gone, namespace: "" });
    vi.spyOn(process, "pid", "get").mockReturnValue(1);
    await expect(openJournal(path)).rejects.toThrow(`was locked by process ${gone}, possibly in`);
    const own = await journalPath();
    await using _ = await openJournal(own);
    const lock: unknown = JSON.parse(await readFile(`${own}.lock`, "utf8"));
    expect(lock).toMatchObject({ pid: 1, namespace: "" });
  },
);

it("rejects a journal whose second lock is of another container", async () => {
  const id = randomUUID();
  const path = await lockedPath({ id, pid: gone });
  await locked(path, { pid: gone, namespace: "boot pid:[1] time:[1]" }, `.${id}`);
  await expect(openJournal(path)).rejects.toThrow(`Delete ${path}.lock.${id} once`);
});

it.each([{ pid: gone }, { startedAt: "an earlier boot" }])(
  "replaces the lock of an ended process, also after its id was reused: %j",
  async (holder) => {
    const path = await lockedPath(holder);
    const opened = await Promise.allSettled([openJournal(path), openJournal(path)]);
    const won = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(won).toHaveLength(1);
    await expect(openJournal(path)).rejects.toThrow("already open in this process");
    await won[0]?.close();
    expect(await readdir(dirname(path))).toEqual([basename(path)]);
  },
);

it("replaces the lock of a process that was killed while it replaced a lock", async () => {
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
  const path = await lockedPath({ id: first, pid: gone });
  await locked(path, { id: second, pid: gone }, `.${first}`);
  await locked(path, { id: third, pid: gone }, `.${first}.${second}`);
  await (await openJournal(path)).close();
  expect(await readdir(dirname(path))).toEqual([basename(path)]);
});

const lock = { id: randomUUID(), pid: gone, host: hostname(), startedAt: "" };

it.each([
  "",
  "mine",
  "{}",
  '{"pid":1}',
  JSON.stringify({ ...lock, id: "/../../elsewhere" }),
  JSON.stringify({ ...lock, id: lock.id.replace("-", "/") }),
  `${JSON.stringify(lock)}x`,
])("rejects the journal and leaves the lock if it is another file (%#)", async (text) => {
  const path = await journalPath();
  await writeFile(`${path}.lock`, text);
  await expect(openJournal(path)).rejects.toThrow(`${path}.lock exists and is not the lock`);
  expect(await readFile(`${path}.lock`, "utf8")).toBe(text);
});

it.skipIf(process.platform === "win32")(
  "is refused without reading where its lock is a link, a pipe or a folder",
  async () => {
    const dead = await lockedPath({ pid: gone });
    const pipe = await journalPath();
    makePipe(pipe);
    const targets = [`${dead}.lock`, `${dead}.none`, "/dev/zero", pipe, dirname(dead)];
    const links = targets.map((target) => (path: string) => symlink(target, path));
    for (const make of [...links, makePipe, mkdir]) {
      const path = await journalPath();
      await make(`${path}.lock`);
      await expect(openJournal(path)).rejects.toThrow(`${path}.lock exists and is not the lock`);
    }
  },
);

it("leaves the lock of another process that replaced it at the same time", async () => {
  const path = await lockedPath({ pid: gone });
  // The process writes its own lock first, then the second lock under which it replaces the old one.
  vi.spyOn(await everyFile(), "sync")
    .mockImplementationOnce(async () => undefined)
    .mockImplementationOnce(() => locked(path, { pid: process.ppid }));
  await expect(openJournal(path)).rejects.toThrow(`is in use by process ${process.ppid}.`);
  expect(await readFile(`${path}.lock`, "utf8")).toContain(String(process.ppid));
});

it("leaves a lock that belongs to another process", async () => {
  const path = await journalPath();
  const journal = await openJournal(path);
  const id = randomUUID();
  await locked(path, { id });
  await journal.close();
  expect(await readFile(`${path}.lock`, "utf8")).toContain(id);
});
