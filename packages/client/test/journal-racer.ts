/*
 * Program that opens a journal at a given time and sends "opened" or the error. Closes the journal on request.
 */
import { flushCompileCache } from "node:module";

import { openJournal, type FileJournal } from "@tryon/client/node";

/** Message to the program: opens the journal at a time, or closes it. */
export type Order = { readonly path: string; readonly at: number } | "close";

let journal: FileJournal | undefined;

async function handle(order: Order): Promise<void> {
  if (order === "close") return journal?.close();
  // All programs start at the same time.
  while (Date.now() < order.at);
  journal = undefined;
  const outcome = await openJournal(order.path).then((opened) => (journal = opened), String);
  process.send?.(typeof outcome === "string" ? outcome : "opened");
}

process.on("message", (order: Order) => void handle(order));
process.on("disconnect", () => process.exit());
flushCompileCache();
process.send?.("ready");
