/*
 * Program that runs a batch with a journal in a file. It waits at the given crash points until it is killed.
 */
import { flushCompileCache } from "node:module";

import { isTryOnError, TryOn, type Clock, type Middleware, type TryOnInput } from "@tryon/client";
import { batch, type Journal, type JournalEntry } from "@tryon/client/batch";
import { openJournal } from "@tryon/client/node";

import type { BatchSettings, CrashPoint, Item, ItemReport } from "./crash-scenario.ts";

// The test passes these settings.
const settings = JSON.parse(process.argv[2] ?? "") as BatchSettings;
const { url, apiKey, recoveryKeys, transport, path, sync, concurrency, time, items } = settings;
const crashPoints = new Map(items.map(({ id, crashPoint }) => [id, crashPoint]));
/** Items by idempotency key. */
const ids = new Map<string, string>();

// This listener keeps a waiting program alive.
process.on("disconnect", () => process.exit());

/** Waits forever if this is the crash point of an item. */
async function waitAt(id: string | undefined, crashPoint: CrashPoint): Promise<void> {
  if (id === undefined || crashPoints.get(id) !== crashPoint) return;
  process.send?.({ waiting: id, crashPoint });
  await new Promise(() => undefined);
}

const clock: Clock = {
  now: () => Date.now() * time.speed + time.offset,
  setTimeout: (callback, delay) => setTimeout(callback, delay / time.speed),
  // The timer comes from the line above.
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

const middleware: Middleware = async (request, next, { purpose, idempotencyKey = "" }) => {
  if (purpose !== "submit") return next(request);
  const id = ids.get(idempotencyKey);
  request.headers.set("x-item", id ?? "");
  await waitAt(id, "before the POST");
  const response = await next(request);
  await waitAt(id, "after the response");
  return response;
};

const file = await openJournal(path);
const unwritten: JournalEntry[] = [];

const journal: Journal = {
  async get(id) {
    const entry = unwritten.findLast((one) => one.id === id) ?? (await file.get(id));
    if (entry !== undefined) ids.set(entry.idempotencyKey, id);
    return entry;
  },
  async *list() {
    yield* file.list();
    yield* unwritten;
  },
  async put(entry) {
    ids.set(entry.idempotencyKey, entry.id);
    const isFirst = entry.state === "sending";
    await waitAt(entry.id, isFirst ? "before the entry is written" : "before the job is written");
    if (settings.journal === "on disk") await file.put(entry);
    else unwritten.push(entry);
  },
};

const photo = new Uint8Array(1_000_000);
photo.set([0xff, 0xd8, 0xff, 0xe0]);

const inputOf = ({ id, isLarge }: Item): TryOnInput => ({
  person: isLarge === true ? photo : "https://shop.example/ada.jpg",
  garments: ["https://shop.example/shirt.png"],
  metadata: { sku: id },
});

// The clock runs fast, and the machine may be busy.
const timeouts = { attemptTimeout: "5m", timeout: "30m" } as const;
const tryon = new TryOn({
  apiKey,
  recoveryKeys,
  baseUrl: url,
  transport,
  clock,
  middleware,
  ...timeouts,
});
// The items fill the budget exactly. The broken journal pays more.
const budget = settings.journal === "on disk" ? { maxCredits: 8 * items.length } : undefined;
const options = { id: ({ id }: Item) => id, input: inputOf, concurrency, sync, journal, budget };
const ended: ItemReport[] = [];
for await (const { id, error } of batch(tryon, items, options)) {
  ended.push([id, isTryOnError(error) ? error.code : String(error ?? "succeeded")]);
}
for (const entry of unwritten) await file.put(entry);
await file.close();
flushCompileCache();
process.send?.({ ended });
process.disconnect();
