/*
 * Program that runs a batch against an immediate service. Prints the heap size after few and after many items.
 */
import { argv, stdout } from "node:process";

import { batch } from "../src/batch/index.ts";
import { TryOn } from "../src/index.ts";

const [few = 0, many = 0] = argv.slice(2, 4).map(Number);
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
const entries = new Map();
const journal = {
  get: async (id: string) => entries.get(id),
  list: () => entries.values(),
  put: async (entry: { readonly id: string }) => void entries.set(entry.id, entry),
};

function* inputs() {
  const input = { person: "https://a.example/ada.jpg", garments: ["https://a.example/b.png"] };
  for (let seed = 0; seed < many; seed += 1) yield { ...input, seed };
}

const options = { total: many, onProgress: () => undefined };
const withJournal = { ...options, journal, id: ({ seed }: { seed: number }) => `sku-${seed}` };
const heap: number[] = [];
let done = 0;
for await (const { error } of batch(tryon, inputs(), argv[4] ? withJournal : options)) {
  if (error) throw error;
  done += 1;
  if (done !== few && done !== many) continue;
  globalThis.gc?.();
  heap.push(process.memoryUsage().heapUsed);
}
stdout.write(JSON.stringify({ few: heap[0], many: heap[1] }));
