import { TryOn, TryOnError } from "@tryon/client";
import { batch } from "@tryon/client/batch";
import { openJournal } from "@tryon/client/node";
import { images, type ProgramContext } from "./program-context.ts";

const named = (_item: unknown, index: number): string => `item-${index}`;

/** Runs a batch twice with one journal in a file, and stops another batch at its budget. */
export async function run({ baseUrl, apiKey, file }: ProgramContext): Promise<unknown> {
  const tryon = new TryOn({ apiKey, baseUrl });
  const told: unknown[] = [];
  for (let times = 0; times < 2; times += 1) {
    const journal = await openJournal(file);
    for await (const { result, fromJournal } of batch(tryon, [images, images], {
      id: named,
      journal,
    })) {
      told.push(result?.receipt.credits, fromJournal);
    }
    await journal.close();
  }
  const stopped: unknown = await batch(tryon, [images], { budget: { maxCredits: 1 } })
    .next()
    .then(
      ({ value }) => Object(value).error as unknown,
      (error: unknown) => error,
    );
  // In CommonJS the entries share the classes of the main one.
  return [told, stopped instanceof TryOnError && stopped.code];
}
