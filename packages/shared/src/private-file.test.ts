import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import {
  appendPrivateFile,
  createPrivateFile,
  ensurePrivateFile,
  makePrivate,
  writePrivateFile,
} from "./private-file.ts";

/** Creates a folder with a file of another program, and returns paths in it. */
function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "tryon-private-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [path, other] = [join(folder, "private"), join(folder, "other")];
  writeFileSync(other, "other\n", { mode: 0o644 });
  const list = () => readdirSync(folder).toSorted();
  return { path, other, list };
}

/** Returns the paths in a folder that this process has open, and the folder. */
const openIn = (folder: string): readonly string[] =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)].filter((path) => path.startsWith(folder));
    } catch {
      // It was that of the list.
      return [];
    }
  });

const modeOf = (path: string): number => statSync(path).mode % 0o1000;

function write(open: (path: string) => number) {
  return async (path: string, text: string): Promise<void> => {
    const file = open(path);
    writeSync(file, text);
    closeSync(file);
  };
}

const ways = [
  ["writePrivateFile", writePrivateFile, "new\n"],
  ["createPrivateFile", write(createPrivateFile), "new\n"],
  ["appendPrivateFile", write(appendPrivateFile), "old\nnew\n"],
  [
    "makePrivate",
    async (path: string, text: string) => {
      makePrivate(path);
      writeFileSync(path, text, { flag: "a" });
    },
    "old\nnew\n",
  ],
] as const;

test.each(ways)("%s writes for the owner only, whatever the mode was", async (_, run, expected) => {
  const { path, list } = setUp();
  await run(path, "new\n");
  expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["new\n", 0o600]);
  writeFileSync(path, "old\n");
  chmodSync(path, 0o666);
  await run(path, "new\n");
  expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual([expected, 0o600]);
  expect(list()).toEqual(["other", "private"]);
});

test.each(ways)("%s changes no file of another name", async (name, run) => {
  for (const link of [
    symlinkSync,
    linkSync,
    (_: string, path: string) => symlinkSync("no", path),
  ]) {
    const { path, other, list } = setUp();
    link(other, path);
    const outcome = await run(path, "new\n").then(
      () => "written",
      (error: unknown) => Reflect.get(Object(error), "code"),
    );
    expect(outcome).toBe(name === "writePrivateFile" ? "written" : "ELOOP");
    expect([readFileSync(other, "utf8"), modeOf(other)]).toEqual(["other\n", 0o644]);
    expect(list()).toEqual(["other", "private"]);
    expect(lstatSync(path).isSymbolicLink()).toBe(outcome !== "written" && link !== linkSync);
    expect(existsSync(join(path, "../no"))).toBe(false);
  }
});

test.each(ways)("%s leaves nothing where it fails", async (_, run) => {
  const { path, list } = setUp();
  mkdirSync(join(path, "folder"), { recursive: true });
  await expect(run(path, "new\n")).rejects.toThrow(/EISDIR|ENOTEMPTY|not a regular file/);
  await expect(run(join(path, "none/file"), "new\n")).rejects.toThrow(/ENOENT.*open/);
  expect(list()).toEqual(["other", "private"]);
  expect(readdirSync(path)).toEqual(["folder"]);
});

test("ensurePrivateFile creates a file for the owner only, and leaves an existing one as it is", () => {
  const { path, other } = setUp();
  ensurePrivateFile(path);
  expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["", 0o600]);
  ensurePrivateFile(other);
  expect([readFileSync(other, "utf8"), modeOf(other)]).toEqual(["other\n", 0o644]);
});

test.runIf(existsSync("/proc/self/fd"))("leaves no file open, also if it fails", async () => {
  const { path, other } = setUp();
  await writePrivateFile(path, "new\n");
  linkSync(path, `${other}2`);
  expect(() => appendPrivateFile(path)).toThrow("not a regular file");
  expect(() => createPrivateFile("")).toThrow(/ENOENT.*rename/);
  const left = [...readdirSync("."), ...openIn(process.cwd())];
  expect([
    ...openIn(join(path, "..")),
    ...left.filter((name) => /(^|\/)\.[\da-f-]{36}\.tmp/.test(name)),
  ]).toEqual([]);
});
