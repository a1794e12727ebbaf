/*
 * Program that runs a batch with a journal in a file, or in a database, which it shares with other processes.
 */
import { flushCompileCache } from "node:module";
import { DatabaseSync } from "node:sqlite";

import { createClient } from "@redis/client";
import { TryOn, type TryOnOptions } from "@tryon/client";
import { batch, type Journal, type JournalEntry } from "@tryon/client/batch";
import { openJournal as openFileJournal } from "@tryon/client/node";
import { openPostgresJournal } from "@tryon/client/postgres";
import { openRedisJournal } from "@tryon/client/redis";
import { openSqliteJournal } from "@tryon/client/sqlite";
import { Pool } from "pg";

export interface SharedBatchSettings {
  readonly store: "file" | "redis" | "postgres" | "sqlite";
  readonly storeUrl: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly count: number;
  readonly claimTtl: number;
  /** Name of the journal. @default "killed" */
  readonly name?: string;
  readonly idempotencyWindow?: number;
  /** Milliseconds by which the date of the process differs from that of the machine. @default 0 */
  readonly dateOffset?: number;
  readonly sync?: boolean;
  readonly transport?: TryOnOptions["transport"];
  /** If true, the journal is broken: an entry is not written before the program ends. */
  readonly isLate?: boolean;
}

/** Message for each item that ends, and at the end. */
export type SharedBatchMessage =
  | { readonly id: string; readonly outcome: string; readonly fromJournal: boolean }
  | "done";

// The test passes these settings.
const settings = JSON.parse(process.argv[2] ?? "") as SharedBatchSettings;
const { store, storeUrl, baseUrl, apiKey, count, claimTtl, name = "killed" } = settings;
const { idempotencyWindow, dateOffset = 0 } = settings;
const { now } = Date;
if (dateOffset !== 0) Date.now = () => now() + dateOffset;

process.on("disconnect", () => process.exit());

async function openJournal(): Promise<Journal> {
  if (store === "file") {
    const file = await openFileJournal(storeUrl);
    if (!settings.isLate) return file;
    const late = new Map<string, JournalEntry>();
    return {
      get: async (id) => late.get(id) ?? file.get(id),
      list: () => file.list(),
      put: async (entry) => void late.set(entry.id, entry),
    };
  }
  if (store === "sqlite") {
    return openSqliteJournal(new DatabaseSync(storeUrl), name, { claimTtl, createTable: true });
  }
  if (store === "redis") {
    const client = await createClient({ url: storeUrl }).connect();
    return openRedisJournal(client, name, { claimTtl });
  }
  const pool = new Pool({ connectionString: storeUrl });
  return openPostgresJournal(pool, name, { claimTtl, createTable: true });
}

const ids = Array.from({ length: count }, (_, index) => `sku-${index}`);
/** Large enough for a partial upload. */
const photo = new Uint8Array(1_000_000);
photo.set([0xff, 0xd8, 0xff, 0xe0]);
const tryon = new TryOn({
  apiKey,
  baseUrl,
  idempotencyWindow,
  transport: settings.transport,
  middleware: (request, next) => {
    request.headers.set("x-process", String(process.pid));
    return next(request);
  },
});
const items = batch(tryon, ids, {
  id: (id) => id,
  input: (id) => ({
    person: Number(id.slice(4)) % 3 === 0 ? photo : "https://shop.example/ada.jpg",
    garments: ["https://shop.example/shirt.png"],
    metadata: { sku: id },
  }),
  journal: await openJournal(),
  concurrency: 4,
  sync: settings.sync,
});
for await (const { id, error, fromJournal } of items) {
  process.send?.({ id, outcome: error ? error.message : "succeeded", fromJournal });
}
flushCompileCache();
process.send?.("done");
