/*
 * A program: told of a journal and a moment, tries to open it at that moment, and says whether it has it. Keeps it until it
 * is told to give it back.
 */
import { flushCompileCache } from "node:module";

import { openJournal, type FileJournal } from "@tryon/client/node";

/** What it is told. */
export type Order = { readonly path: string; readonly at: number } | "give back";
/** What it says: whether it has the journal, or why not. */
export type Outcome = { readonly has: true } | { readonly has: false; readonly why: string };

let journal: FileJournal | undefined;

async function obey(order: Order): Promise<void> {
  if (order === "give back") {
    await journal?.close();
    journal = undefined;
    return;
  }
  // As close to the others as can be.
  while (Date.now() < order.at);
  let outcome: Outcome = { has: true };
  try {
    journal = await openJournal(order.path);
  } catch (error) {
    outcome = { has: false, why: (error as Error).message };
  }
  process.send?.(outcome);
}

process.on("message", (order: Order) => void obey(order));
process.on("disconnect", () => process.exit());
flushCompileCache();
process.send?.("ready");
