// Writes a journal of ended items to a file, or measures the CPU time of a batch that continues it.
import { TryOn } from "@tryon/client";
import { batch, type JournalEntry } from "@tryon/client/batch";
import { openJournal } from "@tryon/client/node";

import { benchKey } from "../candidates/fixtures.ts";

const [kind = "", path = "", last = ""] = process.argv.slice(2);

/** Ids of an item, as a batch writes them. */
const idOf = (index: number): string => `sku-${index}`;

function entryOf(index: number, state: "sending" | "succeeded"): JournalEntry {
  const sent = {
    id: idOf(index),
    idempotencyKey: String(index).padStart(64, "0"),
    digest: "5e".repeat(32),
    sync: true,
    size: "1K",
    credits: 8,
    sentAt: 1_800_000_000_000 + index,
  };
  if (state === "sending") return { ...sent, state };
  const id = `job_${index}`;
  const job = { id, data: { job_id: id, status: "succeeded", cost_credits: 8 } };
  return { ...sent, state, job: { ...job, idempotencyKey: sent.idempotencyKey } };
}

async function write(): Promise<object> {
  await using journal = await openJournal(path);
  for (let first = 0; first < Number(last); first += 10_000) {
    const puts = Array.from({ length: 10_000 }, (_, index) => [
      journal.put(entryOf(first + index, "sending")),
      journal.put(entryOf(first + index, "succeeded")),
    ]);
    await Promise.all(puts.flat());
  }
  return {};
}

/** Continues the batch to its first new item. The counting of a budget reads all entries. */
async function resume(maxCredits?: number): Promise<object> {
  const tryon = new TryOn({
    apiKey: benchKey.token,
    baseUrl: "http://localhost",
    fetch: async () => Response.json({ job_id: "job_new", status: "succeeded", cost_credits: 8 }),
  });
  const start = process.cpuUsage();
  await using journal = await openJournal(path);
  const input = { person: "https://a.example/ada.jpg", garments: ["https://a.example/b.png"] };
  const budget = maxCredits === undefined ? {} : { budget: { maxCredits } };
  const items = batch(tryon, [input], { id: () => "new", journal, ...budget });
  for await (const { error } of items) if (error) throw error;
  const { user, system } = process.cpuUsage(start);
  return { resume: { [last]: (user + system) / 1e6 } };
}

const kinds: Readonly<Record<string, () => Promise<object>>> = {
  write,
  resume: () => resume(),
  "resume-with-budget": () => resume(1e9),
};
const run = kinds[kind];
if (run === undefined) throw new RangeError(`No kind ${kind}.`);
process.stdout.write(JSON.stringify(await run()));
