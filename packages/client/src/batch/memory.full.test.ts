import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { cases } from "@tryon/test-kit/cases";
import { expect, it } from "vitest";

import { journalPath } from "../../test/journal-folder.ts";
import { TryOn } from "../index.ts";
import { openJournal } from "../node/index.ts";
import { batch, type Journal, type JournalEntry } from "./index.ts";

setFlagsFromString("--expose-gc");
// The flag adds this function to new contexts.
const collectGarbage = runInNewContext("gc") as () => void;

const idOf = ({ seed }: { readonly seed: number }) => `sku-${seed}`;

/** Journal in memory. */
function createJournal(): Journal {
  const entries = new Map<string, JournalEntry>();
  return {
    get: async (id) => entries.get(id),
    list: () => entries.values(),
    put: async (entry) => void entries.set(entry.id, entry),
  };
}

/** Runs a batch against an immediate service. Returns the growth of the heap between a few and all items, in bytes. */
async function growth(few: number, all: number, journal?: Journal): Promise<number> {
  let jobs = 0;
  const tryon = new TryOn({
    apiKey: "svc_test_memory",
    baseUrl: "http://localhost",
    fetch: async (url) => {
      if (url.endsWith("/account")) return Response.json({ rate_limit_per_min: 1e9 });
      jobs += 1;
      return Response.json({ job_id: `job_${jobs}`, status: "succeeded", cost_credits: 8 });
    },
  });
  function* inputs() {
    const input = { person: "https://a.example/ada.jpg", garments: ["https://a.example/b.png"] };
    for (let seed = 0; seed < all; seed += 1) yield { ...input, seed };
  }
  const options = { total: all, onProgress: () => undefined };
  const heap: number[] = [];
  let done = 0;
  const withJournal = journal && { ...options, journal, id: idOf, budget: { maxCredits: 1e9 } };
  for await (const { error } of batch(tryon, inputs(), withJournal ?? options)) {
    if (error) throw error;
    done += 1;
    if (done !== few && done !== all) continue;
    collectGarbage();
    heap.push(process.memoryUsage().heapUsed);
  }
  return (heap[1] ?? 0) - (heap[0] ?? 0);
}

it("uses no more memory after five times as many items", async () => {
  expect(await growth(cases(20_000, 4), cases(100_000, 4))).toBeLessThan(4 * 2 ** 20);
}, 600_000);

it("uses little memory per item with a journal", async () => {
  // Including the journal in memory.
  expect((await growth(5_000, 25_000, createJournal())) / 20_000).toBeLessThan(4_000);
}, 600_000);

it("uses no more heap after many items with a journal in a file", async () => {
  await using journal = await openJournal(await journalPath());
  const count = cases(1_000_000, 40);
  expect(await growth(5_000, count, journal)).toBeLessThan(8 * 2 ** 20);
}, 3_600_000);
