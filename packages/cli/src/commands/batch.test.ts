import {
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import {
  appendFile,
  copyFile,
  link,
  mkdir,
  readFile,
  readdir,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname } from "node:path";

import { expect, test } from "vitest";

import { expectEnd, linesOf, openBatch } from "../../test/cli.ts";

const header = "id,person,garments,size";

const two = ["a,me.png,shirt.png,1K", "b,me.png,https://shop.example/b.png,1K"];
/** Options of a service whose jobs run until the test moves the clock. */
const slow = { latency: "30s", clock: "manual" } as const;

const openRows = (...rows: readonly string[]) => openBatch([header, ...rows].join("\r\n"));

test("saves an image for each row of a CSV file, and prints a summary", async () => {
  const { batch, path, charges } = await openRows(
    "skirt,me.png,shirt.png,1K",
    '"coat 2",me.png,"shirt.png|https://shop.example/coat.png",',
  );
  const { code, stdout, stderr } = await batch("--max-credits", "16");
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "Price: at most 16 credits for 2 try-ons\n",
  });
  expect(stdout).toBe(
    "TRY-ONS  SUCCEEDED  FAILED  NOT RUN  EARLIER  CREDITS\n      2          2       0        0        0       16\n",
  );
  expect((await readdir(path("looks"))).toSorted()).toEqual(["coat 2.png", "skirt.png"]);
  expect(await charges()).toBe(2);
});

test("continues with NDJSON, prints JSON, and downloads only missing images", async () => {
  const row = { person: "me.png", garments: ["shirt.png"], seed: 7 };
  const rows = [row, { ...row, id: "b", prompt: "loose" }].map((one) => JSON.stringify(one));
  const { batch, path, charges } = await openBatch(rows.join("\n"), "items.ndjson");
  expect((await batch()).code).toBe(0);
  const image = await readFile(path("looks/b.png"));
  await rm(path("looks/b.png"));
  const { code, stdout } = await batch("--json");
  expect(code).toBe(0);
  expect(linesOf(stdout)).toEqual(
    expect.arrayContaining([
      {
        id: "b",
        status: "succeeded",
        job_id: expect.stringMatching(/^job_/),
        path: path("looks/b.png"),
        cost_credits: 8,
        attempts: 1,
        from_journal: true,
      },
      expect.objectContaining({ id: expect.stringMatching(/^look-[0-9a-f]{12}$/) }),
    ]),
  );
  expect(await readFile(path("looks/b.png"))).toEqual(image);
  expect(await charges()).toBe(2);
});

test("writes failures to a file that is an input, which pays for nothing again", async () => {
  const { batch, run, path, mock, charges } = await openRows(...two);
  mock.nextJob({ outcome: "content_blocked" });
  const { code, stderr } = await batch("--retry-failed", "3");
  expect(code).toBe(1);
  expect(stderr).toContain(
    "1 × failed: content_blocked. Change the image or the prompt, and use a new id: repeated refusals can suspend the key.\n",
  );
  const failures = "looks.failures.ndjson";
  const [failure] = linesOf(await readFile(path(failures), "utf8"));
  expect(failure).toMatchObject({
    id: expect.stringMatching(/^[ab]$/),
    person: "me.png",
    error: { code: "job_failed", reason: "content_blocked" },
  });
  expect(await charges()).toBe(2);
  for (const file of ["items.csv", failures]) {
    expect((await run(file, "--retry-failed", "10")).code).toBe(1);
  }
  expect(await charges()).toBe(2);
});

test("makes failed rows again with --retry-failed, up to its number of jobs in all runs, within the limit", async () => {
  const { batch, path, mock, charges } = await openRows(...two);
  for (let left = 3; left > 0; left -= 1) mock.nextJob({ errorMessage: "generation_failed" });
  await expectEnd(batch(), 1, "2 × failed: generation_failed. Another try-on");
  expect((await batch("--retry-failed", "3", "--max-credits", "16")).code).toBe(1);
  expect(await charges()).toBe(2);
  const more = ["--retry-failed", "3", "--max-credits", "40", "--json"];
  const { code, stdout, stderr } = await batch(...more);
  expect(code).toBe(0);
  expect(stderr).toContain("Price: at most 48 credits for 2 try-ons of up to 3 jobs each\n");
  expect(linesOf(stdout)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ attempts: 2, cost_credits: 16 }),
      expect.objectContaining({ attempts: 3, cost_credits: 24 }),
    ]),
  );
  expect(await charges()).toBe(5);
  expect((await readdir(path("looks"))).toSorted()).toEqual(["a.png", "b.png"]);
});

test("retries other reasons only if they are named, and never refused content", async () => {
  const { batch, mock, charges } = await openRows("a,me.png,https://shop.example/a.png,");
  mock.nextJob({ outcome: "model_rejected" });
  const ending = batch("--retry-failed", "2");
  await expectEnd(ending, 1, '--retry-failed with --retry-code "model_rejected".');
  for (const codes of [["content_blocked"], ["model_rejected", "--retry-code", "moderation"]]) {
    const again = batch("--retry-failed", "2", "--retry-code", ...codes);
    await expectEnd(again, 2, "Refused content is never retried");
  }
  expect((await batch("--retry-code", "model_rejected")).code).toBe(2);
  expect(await charges()).toBe(1);
  expect((await batch("--retry-failed", "2", "--retry-code", "model_rejected")).code).toBe(0);
  expect(await charges()).toBe(2);
});

test("checks the rows that are made again before it starts", async () => {
  const { batch, path, mock, charges } = await openRows("a,me.png,shirt.png,");
  mock.nextJob({ errorMessage: "generation_failed" });
  expect((await batch()).code).toBe(1);
  await rm(path("shirt.png"));
  expect((await batch()).code).toBe(1);
  await expectEnd(batch("--retry-failed", "2"), 2, "line 2: garments is not an existing file");
  expect(await charges()).toBe(1);
});

test("removes the file of failures after all its rows have succeeded from another input", async () => {
  const { batch, run, path } = await openRows("a,me.png,https://shop.example/a.png,");
  const failures = "looks.failures.ndjson";
  expect((await batch("--max-credits", "7")).code).toBe(1);
  expect(linesOf(await readFile(path(failures), "utf8"))).toEqual([
    expect.objectContaining({
      id: "a",
      error: expect.objectContaining({ code: "budget_exceeded" }),
    }),
  ]);
  // Its own run keeps it, and so does the run of the file that follows it.
  const next = "looks.failures-2.ndjson";
  expect((await run(failures, "--max-credits", "7")).code).toBe(1);
  expect((await run(next)).code).toBe(0);
  expect(await readdir(path("."))).toEqual(expect.arrayContaining([failures, next]));
  expect((await batch()).code).toBe(0);
  const names = await readdir(path("."));
  expect(names.filter((name) => name.includes("failures"))).toEqual([next]);
});

/** Returns the name of a file of failures. */
const failuresOf = (number: number): string =>
  number === 1 ? "looks.failures.ndjson" : `looks.failures-${number}.ndjson`;

/** Opens a batch whose rows have all failed, and a function that runs a file of failures. */
async function openFailures(ids: readonly string[]) {
  const shop = await openRows(...ids.map((id) => `${id},me.png,https://shop.example/${id}.png,`));
  const { path, mock } = shop;
  const fail = (count: number): void => {
    for (let left = count; left > 0; left -= 1) mock.nextJob({ errorMessage: "generation_failed" });
  };
  const textOf = (number: number) => readFile(path(failuresOf(number)), "utf8");
  const idsOf = async (number: number): Promise<unknown> =>
    linesOf(await textOf(number)).map((row) => Reflect.get(row, "id"));
  fail(ids.length);
  expect((await shop.batch()).code).toBe(1);
  return { ...shop, fail, textOf, idsOf };
}

test.each(["its path", "a symbolic link", "a hard link"])(
  "keeps a file of failures that is the input by %s, and numbers the next one",
  async (how) => {
    const { path, fail, textOf, idsOf, run, charges } = await openFailures(["a"]);
    const input = how === "its path" ? failuresOf(1) : "again.ndjson";
    if (how === "a symbolic link") await symlink(path(failuresOf(1)), path(input));
    if (how === "a hard link") await link(path(failuresOf(1)), path(input));
    const content = await textOf(1);
    fail(1);
    const ending = run(input, "--retry-failed", "2");
    await expectEnd(ending, 1, `Rows without an image, as an input: ${path(failuresOf(2))}\n`);
    expect(await idsOf(2)).toEqual(["a"]);
    const paid = await charges();
    // The journal keeps the failure, so the same command again changes nothing.
    expect((await run(input, "--retry-failed", "2")).code).toBe(1);
    expect((await run(input)).code).toBe(1);
    expect(await charges()).toBe(paid);
    expect(await textOf(1)).toBe(content);
    fail(1);
    expect((await run(failuresOf(2), "--retry-failed", "3")).code).toBe(1);
    expect(await idsOf(3)).toEqual(["a"]);
    expect((await run(failuresOf(3), "--retry-failed", "4")).code).toBe(0);
    expect(await charges()).toBe(paid + 2);
    expect(await Promise.all([1, 2, 3].map(idsOf))).toEqual([["a"], ["a"], ["a"]]);
    expect((await readdir(path("looks"))).toSorted()).toEqual(["a.png"]);
  },
);

test("keeps the rows of a stopped run, also those that did not start", async () => {
  const { path, textOf, idsOf, run, charges } = await openFailures(["a", "b"]);
  const paid = await charges();
  const again = ["--retry-failed", "2"];
  const limit = [...again, "--max-credits", String(8 * (paid + 1)), "--concurrency", "1"];
  const c = { id: "c", person: path("me.png"), garments: ["https://shop.example/c.png"] };
  await appendFile(path(failuresOf(1)), JSON.stringify(c));
  const content = await textOf(1);
  expect((await run(failuresOf(1), ...limit)).code).toBe(1);
  expect(await textOf(1)).toBe(content);
  expect(await idsOf(2)).toEqual(["b", "c"]);
  // Either file continues.
  expect((await run(failuresOf(2), ...again)).code).toBe(0);
  expect((await run(failuresOf(1))).code).toBe(0);
  expect(await charges()).toBe(paid + 3);
  expect((await readdir(path("looks"))).toSorted()).toEqual(["a.png", "b.png", "c.png"]);
});

test("keeps the rows of an interrupted run, and makes each try-on once", async () => {
  const rows = ["a-try-2", "b-try-2"].map((id) => {
    const garments = ["https://shop.example/shirt.png"];
    return JSON.stringify({ id, person: "me.png", garments, error: { code: "job_failed" } });
  });
  const content = rows.join("\n");
  const shop = await openBatch(content, "looks.failures.ndjson", slow);
  const { batch, tryon, path, mock, charges } = shop;
  const failures = path("looks.failures.ndjson");
  const controller = new AbortController();
  const argv = ["batch", failures, "--out", path("looks"), "--concurrency", "1"];
  const running = tryon(argv, { signal: controller.signal });
  await expect.poll(charges).toBe(1);
  controller.abort();
  await expectEnd(running, 130, "Run the same command again: nothing is charged twice.");
  expect(await readFile(failures, "utf8")).toBe(content);
  const rest = path("looks.failures-2.ndjson");
  expect(linesOf(await readFile(rest, "utf8"))).toMatchObject([
    { id: "a-try-2" },
    { id: "b-try-2" },
  ]);
  const again = batch("--concurrency", "1");
  await mock.clock.advance("31s");
  await expect.poll(charges).toBe(2);
  await mock.clock.advance("31s");
  expect((await again).code).toBe(0);
  await expect(readFile(rest)).rejects.toThrow("ENOENT");
  expect(await readFile(failures, "utf8")).toBe(content);
  expect(await charges()).toBe(2);
});

test.each([
  ["rows of another input", (row: object) => JSON.stringify({ ...row, id: "z" })],
  ["a row that was edited", (row: object) => JSON.stringify({ ...row, prompt: "loose" })],
  ["notes of the user", () => "Ask for the photo of b."],
])("keeps a file of failures with %s", async (_what, edit) => {
  const { batch, path, textOf, idsOf } = await openFailures(["a", "b"]);
  const [row = {}] = linesOf(await textOf(1));
  const content = edit(row);
  await writeFile(path(failuresOf(1)), content);
  expect((await batch()).code).toBe(1);
  expect(await textOf(1)).toBe(content);
  expect(await idsOf(2)).toEqual(["a", "b"]);
});

test("stops at --max-credits of all runs, and continues with more", async () => {
  const rows = ["a", "b", "c"].map((id) => `${id},me.png,https://shop.example/${id}.png,`);
  const { batch, charges } = await openRows(...rows);
  const { code, stdout, stderr } = await batch("--max-credits", "16");
  expect(code).toBe(1);
  // The item beyond the limit is not a failure.
  expect(stdout).toMatch(/\n +3 +2 +0 +1 +0 +16\n$/);
  expect(stderr).toContain("Raise --max-credits. Then run the same command again.");
  expect(await charges()).toBe(2);
  expect((await batch("--max-credits", "16")).code).toBe(1);
  expect(await charges()).toBe(2);
  expect((await batch("--max-credits", "24")).code).toBe(0);
  expect(await charges()).toBe(3);
});

test("writes failures for their owner only, and follows no link", async () => {
  const { batch, path } = await openRows("a,me.png,https://shop.example/a.png?signature=5e,1K");
  const failures = path("looks.failures.ndjson");
  writeFileSync(path("other"), "mine");
  for (const ending of [".part", ".tmp"]) symlinkSync(path("other"), `${failures}${ending}`);
  const files = readdirSync(path("."));
  for (const mode of [0o644, 0o600]) {
    expect((await batch("--max-credits", "7")).code).toBe(1);
    expect(readFileSync(failures, "utf8")).toContain("signature");
    expect(statSync(failures).mode % 0o1000).toBe(0o600);
    chmodSync(failures, mode);
  }
  expect(readFileSync(path("other"), "utf8")).toBe("mine");
  const added = readdirSync(path(".")).filter((name) => !files.includes(name));
  expect(added.toSorted()).toEqual(["looks", "looks.failures.ndjson", "looks.journal.ndjson"]);
});

/** Paths by which a file system finds a file, apart from its own. */
const otherNames = {
  "its path": async (): Promise<void> => undefined,
  "a symbolic link": (file: string, name: string) => symlink(file, name),
  "a hard link": (file: string, name: string) => link(file, name),
  "a linked folder": (file: string, name: string) => symlink(dirname(file), dirname(name)),
};

test.each([
  ["its path", "looks/me.png", "looks/me.png", "looks"],
  ["a symbolic link", "me.png", "looks/me.png", "looks"],
  ["a hard link", "me.png", "looks/me.png", "looks"],
  ["a linked folder", "looks/me.png", "linked/me.png", "linked"],
] as const)(
  "refuses to replace a photo of the input, found by %s",
  async (how, photo, name, out) => {
    const rows = [`b,${photo},shirt.png,`, "me,shirt.png,shirt.png,"];
    const { tryon, path, charges } = await openRows(...rows);
    await mkdir(path("looks"));
    await copyFile(path("me.png"), path(photo));
    await otherNames[how](path(photo), path(name));
    const content = await readFile(path(photo));
    const { code, stderr } = await tryon(["batch", path("items.csv"), "--out", path(out)]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `tryon: the batch would replace 1 file of its input: ${path(name)}. Use another --out, or other ids.\n`,
    });
    expect(await readFile(path(photo))).toEqual(content);
    expect(await readdir(path("."))).not.toContain(`${out}.journal.ndjson`);
    expect(await charges()).toBe(0);
  },
);

test("refuses a file of rows that is the journal of the batch", async () => {
  const row = JSON.stringify({ person: "me.png", garments: ["shirt.png"] });
  const { batch, path, charges } = await openBatch(row, "looks.journal.ndjson");
  const journal = path("looks.journal.ndjson");
  await expectEnd(batch(), 2, `would replace 1 file of its input: ${journal}.`);
  expect(await readFile(journal, "utf8")).toBe(row);
  expect(await charges()).toBe(0);
});

test("refuses to replace files that no earlier run has made, and keeps the images of earlier runs", async () => {
  const ids = ["a", "b", "c", "d", "e"];
  const rows = ids.map((id) => `${id},me.png,https://shop.example/${id}.png,`);
  const { batch, path, mock, charges } = await openRows(...rows);
  expect((await batch("--max-credits", "8", "--concurrency", "1")).code).toBe(1);
  const [image = ""] = await readdir(path("looks"));
  const made = await readFile(path(`looks/${image}`));
  const [, ...others] = ids;
  for (const id of others) await writeFile(path(`looks/${id}.png`), "mine");
  await rm(path("looks/e.png"));
  await symlink("nowhere", path("looks/e.png"));
  const { code, stderr } = await batch();
  const list = others.slice(0, 3).map((id) => path(`looks/${id}.png`));
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `tryon: the batch would replace 4 files that no earlier run has made: ${list.join(", ")} and 1 more. Use another --out, or move these files.\n`,
  });
  expect(await charges()).toBe(1);
  expect(mock.journal.entries({ method: "POST" })).toHaveLength(1);
  for (const id of others) await rm(path(`looks/${id}.png`));
  expect((await batch()).code).toBe(0);
  expect(await readFile(path(`looks/${image}`))).toEqual(made);
  expect(await charges()).toBe(5);
});

test("continues beside a file that has the name of a failed row", async () => {
  const { path, batch, charges } = await openFailures(["a"]);
  await writeFile(path("looks/a.png"), "mine");
  const paid = await charges();
  await expectEnd(batch(), 1, "1 × failed: generation_failed.");
  expect(await readFile(path("looks/a.png"), "utf8")).toBe("mine");
  expect(await charges()).toBe(paid);
});

test("does not replace the file of a row whose earlier try-on was refused", async () => {
  const { batch, path, charges } = await openRows("a,me.png,https://shop.example/a.png,");
  expect((await batch("--max-credits", "7")).code).toBe(1);
  await writeFile(path("looks/a.png"), "mine");
  expect((await batch()).code).toBe(2);
  expect(await readFile(path("looks/a.png"), "utf8")).toBe("mine");
  expect(await charges()).toBe(0);
});

test("keeps a file that appears while its try-on runs, and does not report it as the image", async () => {
  const rows = `${header}\na,me.png,shirt.png,\n`;
  const { batch, path, mock, charges } = await openBatch(rows, "items.csv", slow);
  const running = batch();
  await expect.poll(charges).toBe(1);
  await writeFile(path("looks/a.png"), "mine");
  await mock.clock.advance("31s");
  await expectEnd(running, 1, `1 × ${path("looks/a.png")} exists already.`);
  expect(await readFile(path("looks/a.png"), "utf8")).toBe("mine");
  await rm(path("looks/a.png"));
  expect((await batch()).code).toBe(0);
  expect((await readFile(path("looks/a.png"))).length).toBeGreaterThan(1_000);
  expect(await charges()).toBe(1);
});

test("rejects --out with the path of a file", async () => {
  const { tryon, path } = await openRows("a,me.png,shirt.png,");
  expect(await tryon(["batch", path("items.csv"), "--out", path("me.png")])).toMatchObject({
    code: 2,
    stderr: `tryon: the folder of --out cannot be created (EEXIST): ${path("me.png")}. Use another path.\n`,
  });
});

test("names the next run for a try-on with an unknown outcome, which pays for nothing again", async () => {
  const { batch, mock, charges } = await openRows("skirt,me.png,shirt.png,");
  const fault = mock.faults.add({ on: "POST /api/v1/tryon", reset: "after" });
  const { code, stderr } = await batch("--timeout", "1s");
  expect(code).toBe(1);
  expect(stderr).toContain("Run the same command again");
  expect(stderr).not.toContain("recover");
  mock.faults.remove(fault.id);
  expect(await batch()).toMatchObject({ code: 0 });
  expect(await charges()).toBe(1);
});

test("names the next run for a try-on that takes too long, and waits for the same job then", async () => {
  const { batch, mock, charges } = await openRows("skirt,me.png,shirt.png,");
  mock.nextJob({ durationMs: 3_000 });
  await expectEnd(batch("--timeout", "1s"), 1, "Run the same command again to wait for it.");
  await mock.clock.advance("3s");
  expect(await batch()).toMatchObject({ code: 0 });
  expect(await charges()).toBe(1);
});
