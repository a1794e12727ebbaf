import { chmod, link, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { pathToFileURL } from "node:url";

import { isTryOnError } from "@tryon/client";
import type { JournalEntry } from "@tryon/client/batch";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import {
  closedJournal,
  entry,
  idsIn,
  journalPath,
  temporaryFolder,
} from "../../../test/journal-folder.ts";
import { collect } from "../../../test/service.ts";
import { createService, failure, input } from "../../../test/service.ts";
import { openJournal } from "../index.ts";

const anyText = fc.string({ unit: "binary", maxLength: 40 });
// Some are longer than one read.
const anyLongText = fc.nat(9000).map((length) => "ä".repeat(length));
const anyJob = fc.record({
  id: anyText,
  idempotencyKey: anyText,
  data: fc.record({
    job_id: anyText,
    status: fc.constant("running"),
    metadata: fc.dictionary(anyText, anyLongText, { maxKeys: 3 }),
  }),
});
const anyEntries = fc.array(
  fc.record({
    id: fc.oneof(anyText, fc.constantFrom("__proto__", "", "ä", "\n", "\uD83D", "👗")),
    state: fc.constantFrom("sending", "submitted", "succeeded", "failed", "refused"),
    idempotencyKey: anyText,
    digest: anyText,
    sync: fc.boolean(),
    size: fc.option(anyText, { nil: undefined }),
    sentAt: fc.integer(),
    job: fc.option(anyJob, { nil: undefined }),
  }),
  { maxLength: 12 },
);

it("returns the last entry of each item unchanged, in any mix of writes, also after it is opened again", async () => {
  const path = await journalPath();
  await fc.assert(
    fc.asyncProperty(anyEntries, fc.integer({ min: 1, max: 5 }), async (generated, concurrency) => {
      await writeFile(path, "");
      // A response can have other fields than the contract.
      const puts = generated as unknown as JournalEntry[];
      const journal = await openJournal(path);
      for (let at = 0; at < puts.length; at += concurrency) {
        await Promise.all(puts.slice(at, at + concurrency).map((one) => journal.put(one)));
      }
      // JSON omits undefined fields, and these dictionaries have no prototype.
      const kept = JSON.parse(JSON.stringify(puts)) as typeof puts;
      const last = new Map(kept.map((one) => [one.id, one]));
      const checkEntries = async (opened: typeof journal): Promise<void> => {
        for (const [index, { id }] of puts.entries()) {
          expect(await opened.get(id)).toEqual(last.get(kept[index]?.id ?? ""));
        }
        expect(await opened.get("no such id")).toBeUndefined();
      };
      await checkEntries(journal);
      await journal.close();
      await using again = await openJournal(pathToFileURL(path));
      await checkEntries(again);
      expect(new Map((await collect(again.list())).map((one) => [one.id, one]))).toEqual(last);
    }),
    { numRuns: cases(150) },
  );
});

it("lists the last entries at the time of the call", async () => {
  await using journal = await openJournal(await journalPath());
  const [shoe, hat] = [entry("shoe"), entry("hat")];
  for (const one of [entry("shoe", { digest: "1" }), hat, shoe]) await journal.put(one);
  const entries = journal.list();
  const first = await entries.next();
  await journal.put(entry("hat", { digest: "2" }));
  expect([first.value, ...(await collect(entries))]).toEqual([hat, shoe]);
  await journal.close();
  await expect(collect(journal.list())).rejects.toThrow("is closed");
});

it("reads a file that is longer than one read", async () => {
  const path = await journalPath();
  const journal = await openJournal(path);
  const entries = Array.from({ length: 300 }, (_, index) =>
    entry(String(index), { digest: "ä".repeat(index * 30) }),
  );
  await Promise.all(entries.map((one) => journal.put(one)));
  await journal.close();
  expect((await stat(path)).size).toBeGreaterThan(2_500_000);
  await using again = await openJournal(path);
  for (const one of entries) expect(await again.get(one.id)).toEqual(one);
  expect(await collect(again.list())).toEqual(entries);
});

it("writes a header and one line per entry into a file that only its owner can read", async () => {
  const path = await journalPath();
  await using journal = await openJournal(path);
  await journal.put(entry("shoe"));
  const lines = (await readFile(path, "utf8")).split("\n");
  expect(lines).toEqual([
    '{"journal":"tryon-batch","version":1}',
    '{"id":"shoe","state":"sending","idempotencyKey":"key-of-shoe","digest":"5e","sync":true,"sentAt":1800000000000,"sum":"022c4568"}',
    "",
  ]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it("restricts an existing journal to its owner and leaves other files unchanged", async () => {
  const path = await closedJournal();
  await chmod(path, 0o666);
  await using journal = await openJournal(path);
  expect((await stat(journal.path)).mode & 0o777).toBe(0o600);
  const list = await journalPath();
  await writeFile(list, "shopping list\n");
  await chmod(list, 0o664);
  await expect(openJournal(list)).rejects.toThrow("is not a journal");
  expect((await stat(list)).mode & 0o777).toBe(0o664);
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

it("omits signed URLs of jobs", async () => {
  const { mock, run, tryon } = createService();
  const job = await run(tryon.submit(input, { idempotencyKey: "order-17" }));
  await run(job.result());
  expect(job.data.result_url).toContain("signature");
  const path = await journalPath();
  await using journal = await openJournal(path);
  const { id, idempotencyKey, data } = job;
  await journal.put(entry("shoe", { state: "succeeded", job: { id, idempotencyKey, data } }));
  const text = await readFile(path, "utf8");
  expect(text).not.toContain("signature");
  expect(text).not.toContain(mock.keys.live);
  const resumed = tryon.jobs.resume((await journal.get("shoe"))?.job ?? "");
  expect(resumed).toMatchObject({ id, idempotencyKey, status: "succeeded" });
});

it.each([
  ["", "(EISDIR). The path is a folder. Use the path of a file."],
  ["/none/run.ndjson", "(ENOENT). Create its folder first."],
  ["/file/run.ndjson", "(ENOTDIR). Use a file on a local disk"],
  ["/dev/null", "must be a regular file. Use another path."],
])("explains what is wrong with the path %j and what to do", async (path, message) => {
  const folder = await temporaryFolder();
  await writeFile(`${folder}/file`, "");
  const error = await failure(openJournal(path === "/dev/null" ? path : `${folder}${path}`));
  expect(isTryOnError(error, "invalid_config")).toBe(true);
  expect(error).toMatchObject({ message: expect.stringContaining(message) });
  expect(JSON.stringify(error)).not.toContain("cause");
});

it.each([
  ["shopping list", "is not a journal"],
  ["shopping list\neggs\n", "is not a journal"],
  ["{}\n", "is not a journal"],
  ['{"journal":"tryon-batch"}\n', "is not a journal"],
  ['{"journal":"tryon-batch","version":1}x\n', "is not a journal"],
  ["x".repeat(3_000_000), "is not a journal"],
  ['{"journal":"tryon-batch","version":2}\n{"whatever":true}\n', "by a newer release"],
])("rejects another file (%#) and leaves it unchanged", async (text, problem) => {
  const path = await journalPath();
  await writeFile(path, text);
  const message = expect.stringMatching(new RegExp(`${problem}.*Nothing was changed.`));
  expect(await failure(openJournal(path))).toMatchObject({ code: "invalid_config", message });
  expect(await readFile(path, "utf8")).toBe(text);
  // The lock is released.
  expect(await readdir(dirname(path))).toEqual([basename(path)]);
});

it("rejects calls after it is closed, and can be closed twice", async () => {
  const path = await journalPath();
  const journal = await openJournal(path);
  const put = journal.put(entry("shoe"));
  const closed = Promise.all([journal.close(), journal.close()]);
  await expect(journal.put(entry("hat"))).rejects.toThrow(`The journal ${path} is closed.`);
  await expect(journal.get("shoe")).rejects.toMatchObject({ code: "invalid_config" });
  await Promise.all([put, closed]);
  expect(await idsIn(path, ["shoe", "hat"])).toEqual(["shoe"]);
});
