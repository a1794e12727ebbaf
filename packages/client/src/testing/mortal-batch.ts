/*
 * A program: runs a batch with a journal in a file. It is told when it will be killed, and stands still there until it is.
 */
import { flushCompileCache } from "node:module";

import { isTryOnError, TryOn, type Clock, type Middleware, type TryOnInput } from "@tryon/client";
import { batch, type Journal, type JournalEntry } from "@tryon/client/batch";
import { openJournal } from "@tryon/client/node";

import { itemHeader, timeNow, type Ended, type Item, type Moment, type Orders } from "./moments.ts";

// Whoever starts this program gives it that.
const orders = JSON.parse(process.argv[2] ?? "") as Orders;
const { url, apiKey, path, sync, concurrency, time, items } = orders;
const moments = new Map(items.map(({ id, moment }) => [id, moment]));
const ids = new Map<string, string>();

// While it hears that, a program that stands still does not end by itself.
process.on("disconnect", () => process.exit());

/** Stands still for ever if this is when the program is to be killed. */
async function stand(id: string | undefined, moment: Moment): Promise<void> {
  if (id === undefined || moments.get(id) !== moment) return;
  process.send?.({ stands: id, moment });
  await new Promise(() => undefined);
}

const clock: Clock = {
  now: () => timeNow(time),
  setTimeout: (callback, delay) => setTimeout(callback, delay / time.speed),
  // What comes back is what the line above gave out.
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

const middleware: Middleware = async (request, next, { purpose, idempotencyKey = "" }) => {
  if (purpose !== "submit") return next(request);
  const id = ids.get(idempotencyKey);
  request.headers.set(itemHeader, id ?? "");
  await stand(id, "before the POST");
  const response = await next(request);
  await stand(id, "the answer has arrived");
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
    await stand(entry.id, isFirst ? "before it is written down" : "before the job is written down");
    if (orders.journal === "on disk") await file.put(entry);
    else unwritten.push(entry);
  },
};

const photo = new Uint8Array(1_000_000);
photo.set([0xff, 0xd8, 0xff, 0xe0]);

function inputOf({ id, isLarge }: Item): TryOnInput {
  return {
    person: isLarge === true ? photo : "https://shop.example/ada.jpg",
    garments: ["https://shop.example/shirt.png"],
    metadata: { sku: id },
  };
}

// Its time runs faster than that of a machine which may be busy.
const patience = { attemptTimeout: "5m", timeout: "30m" } as const;
const tryon = new TryOn({ apiKey, baseUrl: url, clock, middleware, ...patience });
const ended: Ended[] = [];
const options = {
  id: ({ id }: Item) => id,
  input: inputOf,
  concurrency,
  sync,
  journal,
  validate: false,
};
for await (const { id, fromJournal, error } of batch(tryon, items, options)) {
  ended.push({
    id,
    fromJournal,
    how: isTryOnError(error) ? error.code : String(error ?? "succeeded"),
  });
}
for (const entry of unwritten) await file.put(entry);
await file.close();
flushCompileCache();
process.send?.({ ended });
process.disconnect();
