/*
 * Program that opens a journal at a given time and reports the outcome. Closes the journal on request.
 */
import { flushCompileCache } from "node:module";

import { openJournal, type FileJournal } from "@tryon/client/node";

/** Message to the program. */
export type Order = { readonly path: string; readonly at: number } | "close";
/** Message of the program. */
export type Outcome = { readonly has: true } | { readonly has: false; readonly why: string };

let journal: FileJournal | undefined;

async function handle(order: Order): Promise<void> {
  if (order === "close") {
    await journal?.close();
    journal = undefined;
    return;
  }
  // All programs start at the same time.
  while (Date.now() < order.at);
  let outcome: Outcome = { has: true };
  try {
    journal = await openJournal(order.path);
  } catch (error) {
    outcome = { has: false, why: (error as Error).message };
  }
  process.send?.(outcome);
}

process.on("message", (order: Order) => void handle(order));
process.on("disconnect", () => process.exit());
flushCompileCache();
process.send?.("ready");
