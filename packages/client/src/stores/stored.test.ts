import { writeFile } from "node:fs/promises";

import type { SavedJob } from "@tryon/client";
import { openJournal } from "@tryon/client/node";
import { expect, it } from "vitest";

import { journalPath } from "../../test/journal-folder.ts";
import { createService, failure, input } from "../../test/service.ts";
import { continueBatch, continued, readStored } from "../../test/stored.ts";

it("a journal file of an earlier release is continued, and nothing is paid again", async () => {
  const path = await journalPath();
  await writeFile(path, readStored("journal.ndjson"));
  await using journal = await openJournal(path);
  expect(await continueBatch(journal)).toEqual(continued);
});

it("a journal file of an earlier release counts in the limit of its batch", async () => {
  const path = await journalPath();
  await writeFile(path, readStored("journal.ndjson"));
  await using journal = await openJournal(path);
  expect(await continueBatch(journal, 39)).toMatchObject({
    submissions: 0,
    refused: ["budget_exceeded", false],
  });
  expect(await continueBatch(journal, 40)).toEqual(continued);
});

it("a saved job of an earlier release is resumed", () => {
  const { tryon } = createService();
  // The file has a list of saved jobs.
  for (const saved of JSON.parse(readStored("jobs.json")) as SavedJob[]) {
    const job = tryon.jobs.resume(saved);
    expect(job).toMatchObject(saved);
    expect(job.toJSON()).toEqual({ ...saved, version: 1 });
  }
});

it("a saved job has a version, and one of a newer release is refused", async () => {
  const { tryon, run } = createService();
  const saved = (await run(tryon.submit(input))).toJSON();
  expect(saved.version).toBe(1);
  const resume = async () => tryon.jobs.resume({ ...saved, version: 2 });
  expect(await failure(resume())).toMatchObject({
    code: "invalid_input",
    message: "id was saved by a newer release. Update @tryon/client.",
  });
});
