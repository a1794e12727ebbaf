import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { openJournal } from "@tryon/client/node";
import { expect, test, vi } from "vitest";

import { expectEnd, linesOf, openBatch, openShop } from "../../test/cli.ts";

const url = "https://shop.example/shirt.png";

/** Reference server, and a folder that can move, with the batch in it. */
async function openFolder(csv: string) {
  const shop = await openShop();
  const { path, tryon } = shop;
  await mkdir(path("a"));
  for (const name of ["me.png", "shirt.png"]) await copyFile(path(name), path(`a/${name}`));
  await writeFile(path("a/items.csv"), csv);
  const batch = (folder = "a", ...more: readonly string[]) =>
    tryon(["batch", path(`${folder}/items.csv`), "--out", path(`${folder}/looks`), ...more]);
  return { ...shop, batch };
}

test("pays for no row without an id again after its folder has moved", async () => {
  const csv = `person,garments,prompt\nme.png,shirt.png,\nme.png,${url},loose\n`;
  const { batch, path, charges } = await openFolder(csv);
  expect((await batch()).code).toBe(0);
  expect(await charges()).toBe(2);
  await rename(path("a"), path("b"));
  expect((await batch("b")).code).toBe(0);
  expect(await charges()).toBe(2);
  // Other content is another try-on.
  await writeFile(path("b/items.csv"), csv.replace("loose", "tight"));
  expect((await batch("b")).code).toBe(0);
  expect(await charges()).toBe(3);
});

test("runs a file of failures after its folder has moved", async () => {
  const { batch, tryon, path, mock, charges } = await openFolder(
    `person,garments,prompt\nme.png,shirt.png,\nme.png,../shirt.png|${url},loose\n`,
  );
  mock.nextJob({ outcome: "content_blocked" });
  expect((await batch("a", "--concurrency", "1", "--max-credits", "15")).code).toBe(1);
  await mkdir(path("c"));
  await copyFile(path("shirt.png"), path("c/shirt.png"));
  await rm(path("shirt.png"));
  await rename(path("a"), path("c/b"));
  const argv = (name: string) => ["batch", path(`c/b/${name}`), "--out", path("c/b/looks")];
  const { code, stdout } = await tryon(argv("looks.failures.ndjson"));
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringMatching(/^TRY-ONS .*\n +2 +1 +1 +0 +1 +8\n$/),
  });
  expect(await charges()).toBe(2);
  // The rows of both files have the same ids.
  expect((await tryon(argv("items.csv"))).code).toBe(1);
  expect(await charges()).toBe(2);
});

/** Replaces a journal by one whose item has another id. */
async function renameItem(file: string, id: string, other: string): Promise<void> {
  await using journal = await openJournal(file);
  const entry = await journal.get(id);
  await rm(file);
  await using next = await openJournal(`${file}.next`);
  if (entry) await next.put({ ...entry, id: other });
  await rename(`${file}.next`, file);
}

test.each(["in its place", "moved"])(
  "recognizes a journal of an earlier release %s, whose ids are made from paths",
  async (where) => {
    const { batch, path, charges } = await openFolder("person,garments\nme.png,shirt.png\n");
    expect((await batch()).code).toBe(0);
    const [id = ""] = (await readdir(path("a/looks"))).map((name) => name.replace(".png", ""));
    const content = { person: path("a/me.png"), garments: [path("a/shirt.png")] };
    const digest = createHash("sha256").update(JSON.stringify(content)).digest("hex");
    const old = `look-${digest.slice(0, 12)}`;
    await renameItem(path("a/looks.journal.ndjson"), id, old);
    await rename(path(`a/looks/${id}.png`), path(`a/looks/${old}.png`));
    if (where === "moved") await rename(path("a"), path("b"));
    const folder = where === "moved" ? "b" : "a";
    expect((await batch(folder)).code).toBe(0);
    expect(await readdir(path(`${folder}/looks`))).toEqual([`${old}.png`]);
    expect(await charges()).toBe(1);
  },
);

test("reports two rows that are the same try-on and have no id", async () => {
  const { batch, path, charges } = await openFolder(
    "person,garments\nme.png,shirt.png\nme.png,copy.png\n",
  );
  await copyFile(path("a/shirt.png"), path("a/copy.png"));
  await expectEnd(batch(), 2, "lines 2 and 3 are the same try-on, and have no id.");
  expect(await charges()).toBe(0);
});

test("saves an image with the longest id", async () => {
  const id = "字".repeat(70);
  const { batch, path, charges } = await openBatch(`id,person,garments\n${id},${url},${url}\n`);
  expect((await batch()).code).toBe(0);
  expect(await readdir(path("looks"))).toEqual([`${id}.png`]);
  expect(await charges()).toBe(1);
});

test("continues although the images of an ended row without an id are deleted", async () => {
  const rows = "person,garments\nme.png,shirt.png\n";
  const { batch, path, charges } = await openFolder(rows);
  expect((await batch()).code).toBe(0);
  await rm(path("a/shirt.png"));
  expect((await batch()).code).toBe(0);
  await rename(path("a"), path("b"));
  expect((await batch("b")).code).toBe(0);
  await writeFile(path("b/items.csv"), rows.replace("shirt", "coat"));
  await expectEnd(batch("b"), 2, "line 2: garments is not an existing file");
  expect(await charges()).toBe(1);
});

test("continues although an image of an ended row is deleted, and refuses it for another row", async () => {
  const rows = "id,person,garments\na,me.png,shirt.png\nb,me.png,shirt.png\n";
  const { batch, path, mock, charges } = await openFolder(rows);
  mock.nextJob({ errorMessage: "generation_failed" });
  expect((await batch("a", "--concurrency", "1")).code).toBe(1);
  const paid = await charges();
  await rm(path("a/me.png"));
  const ended = await batch("a", "--json");
  expect(ended.code).toBe(1);
  expect(linesOf(ended.stdout)).toMatchObject([
    { id: "a", status: "failed", from_journal: true, error: { code: "job_failed" } },
    { id: "b", status: "succeeded", from_journal: true, path: path("a/looks/b.png") },
  ]);
  // Its result is still saved.
  await rm(path("a/looks/b.png"));
  await batch();
  expect(await readdir(path("a/looks"))).toEqual(["b.png"]);
  await writeFile(path("a/items.csv"), `${rows}c,me.png,shirt.png\n`);
  await expectEnd(batch(), 2, "line 4: person is not an existing file");
  expect(await charges()).toBe(paid);
});

test.each([
  ["is not a whole PNG", () => "mine"],
  ["is not a whole PNG", (image: Buffer) => image.subarray(0, -4)],
  [
    "has 20 bytes instead of",
    (image: Buffer) => Buffer.concat([image.subarray(0, 8), image.subarray(-12)]),
  ],
])("verifies an existing image: %s", async (problem, edit) => {
  const { batch, path, charges } = await openFolder(`id,person,garments\na,${url},${url}\n`);
  // With this limit, the batch polls, and gets the size of the image.
  expect((await batch("a", "--timeout", "1m")).code).toBe(0);
  const file = path("a/looks/a.png");
  const image = await readFile(file);
  const edited = Buffer.from(edit(image));
  await writeFile(file, edited);
  const { code, stderr } = await batch();
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(`1 × ${file} ${problem}.* Move it. Then run the same command`),
  });
  expect(await readFile(file)).toEqual(edited);
  await rm(file);
  expect((await batch()).code).toBe(0);
  expect(await readFile(file)).toEqual(image);
  expect(await charges()).toBe(1);
});

vi.mock("node:fs/promises", { spy: true });

test("refuses a folder that it cannot write, and warns if the images may not fit", async () => {
  const { batch, path, charges } = await openFolder(`id,person,garments\na,${url},${url}\n`);
  const files = await import("node:fs/promises");
  const full = Object.assign(new Error("full"), { code: "ENOSPC" });
  vi.mocked(files.writeFile).mockRejectedValueOnce(full);
  const ending = batch();
  await expectEnd(ending, 2, `the folder of --out cannot be written (ENOSPC): ${path("a/looks")}.`);
  expect(await charges()).toBe(0);
  const found = await files.statfs(dirname(path("a")));
  Object.assign(found, { bavail: 100, bsize: 4_096 });
  vi.mocked(files.statfs).mockResolvedValueOnce(found);
  await expectEnd(
    batch(),
    0,
    "Warning: the images may need 0.002 GB, and the folder of --out has 0.00041 GB.",
  );
});
