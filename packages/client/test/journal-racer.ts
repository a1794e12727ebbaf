/*
 * Program that opens a journal at a given time and reports the outcome. Closes the journal on request.
 */
import { flushCompileCache } from "node:module";

import { openJournal, type FileJournal } from "@tryon/client/node";

/** Message to the program: opens the journal at a time, or closes it. */
export type Order = { readonly path: string; readonly at: number } | "close";
/** Message of the program. */
export type Outcome = { readonly error?: string };

let journal: FileJournal | undefined;

async function handle(order: Order): Promise<void> {
  if (order === "close") return journal?.close();
  // All programs start at the same time.
  while (Date.now() < order.at);
  try {
    journal = await openJournal(order.path);
    process.send?.({});
  } catch (error) {
    journal = undefined;
    process.send?.({ error: String(error) });
  }
}

process.on("message", (order: Order) => void handle(order));
process.on("disconnect", () => process.exit());
flushCompileCache();
process.send?.("ready");
