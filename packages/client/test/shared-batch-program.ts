/*
 * Program that runs a batch with a journal in a database, which it shares with other processes.
 */
import { flushCompileCache } from "node:module";
import { DatabaseSync } from "node:sqlite";

import { createClient } from "@redis/client";
import { isTryOnError, TryOn } from "@tryon/client";
import { batch } from "@tryon/client/batch";
import { openPostgresJournal } from "@tryon/client/postgres";
import { openRedisJournal } from "@tryon/client/redis";
import { openSqliteJournal } from "@tryon/client/sqlite";
import { Pool } from "pg";

export interface SharedBatchSettings {
  readonly store: "redis" | "postgres" | "sqlite";
  readonly storeUrl: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly count: number;
  /** Limit of the credits. @default none */
  readonly maxCredits?: number | undefined;
  readonly claimTtl: number;
  /** Name of the journal. @default "killed" */
  readonly name?: string;
  readonly idempotencyWindow?: number;
  /** Milliseconds by which the date of the process differs from that of the machine. @default 0 */
  readonly dateOffset?: number;
}

/** Message for each item that ends, and at the end: of the batch, or of its limit. */
export type SharedBatchMessage =
  | { readonly id: string; readonly outcome: string; readonly fromJournal: boolean }
  | "done"
  | "stopped";

// The test passes these settings.
const settings = JSON.parse(process.argv[2] ?? "") as SharedBatchSettings;
const { store, storeUrl, baseUrl, apiKey, count, claimTtl, name = "killed" } = settings;
const { idempotencyWindow, dateOffset = 0, maxCredits } = settings;
const { now } = Date;
if (dateOffset !== 0) Date.now = () => now() + dateOffset;

process.on("disconnect", () => process.exit());

async function openJournal() {
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
const items = batch(new TryOn({ apiKey, baseUrl, idempotencyWindow }), ids, {
  id: (id) => id,
  input: (id) => ({
    person: "https://shop.example/ada.jpg",
    garments: ["https://shop.example/shirt.png"],
    metadata: { sku: id },
  }),
  journal: await openJournal(),
  concurrency: 4,
  budget: maxCredits === undefined ? undefined : { maxCredits },
});
let end: SharedBatchMessage = "done";
try {
  for await (const { id, error, fromJournal } of items) {
    // The batch stops at its end.
    if (isTryOnError(error, "budget_exceeded")) continue;
    process.send?.({ id, outcome: error ? error.message : "succeeded", fromJournal });
  }
} catch (error) {
  const isOver =
    isTryOnError(error, "batch_stopped") && isTryOnError(error.cause, "budget_exceeded");
  if (!isOver) throw error;
  end = "stopped";
}
flushCompileCache();
process.send?.(end);
