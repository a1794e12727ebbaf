import { argv, stdout } from "node:process";

import { batch, type Journal, type JournalEntry } from "../src/batch/index.ts";
import { TryOn } from "../src/index.ts";

/** Runs a batch against an immediate service, and prints the heap size after few and after many items. */
const [few, many] = argv.slice(2, 4).map(Number);
if (few === undefined || many === undefined) throw new Error("Pass two numbers of items.");

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
const entries = new Map<string, JournalEntry>();
const journal: Journal = {
  get: async (id) => entries.get(id),
  list: () => entries.values(),
  put: async (entry) => void entries.set(entry.id, entry),
};
const input = {
  person: "https://shop.example/ada.jpg",
  garments: ["https://shop.example/shirt.png"],
} as const;

function* inputs(count: number) {
  for (let index = 0; index < count; index += 1) yield { ...input, seed: index };
}

const heap: number[] = [];
let done = 0;
const options = { total: many, onProgress: () => undefined };
const items =
  argv[4] === "journal"
    ? batch(tryon, inputs(many), { ...options, journal, id: ({ seed }) => `sku-${seed}` })
    : batch(tryon, inputs(many), options);
for await (const { error } of items) {
  if (error) throw error;
  done += 1;
  if (done === few || done === many) {
    globalThis.gc?.();
    heap.push(process.memoryUsage().heapUsed);
  }
}
stdout.write(JSON.stringify({ few: heap[0], many: heap[1] }));
