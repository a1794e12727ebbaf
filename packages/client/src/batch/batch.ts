import { InputError, type TryOn, type TryOnInput } from "@tryon/client";

import { readDuration } from "../config/duration.ts";
import type { BatchItem } from "./batch-item.ts";
import type { BatchOptions, ReadOptions } from "./options.ts";
import { RunningBatch } from "./running-batch.ts";

/**
 * Makes a try-on of each item, many at once, and gives them as they end. Items are read one by one when there is room for
 * them, so that there may be any number; a loop that stands still stops the starts. An item that fails is handed out
 * with its error and ends nothing.
 *
 * Breaking out of the loop starts nothing else and stops waiting: jobs in flight run on, and are billed once.
 *
 * @param tryon - The client that makes them.
 * @param inputs - The items, in an array or in whatever can be looped over, also asynchronously.
 * @param options - How it goes; may be left out where the items are inputs.
 * @throws `invalid_input` at once for an option that is wrong. While it runs, once everything in flight has been handed
 * out: `batch_stopped` when no other item is worth starting, with the reason as `cause`, and what `inputs` throws. When
 * `signal` is aborted, its reason, at once.
 * @example
 * import { TryOn } from "@tryon/client";
 * import { batch } from "@tryon/client/batch";
 *
 * const tryon = new TryOn();
 * const inputs = shirts.map((shirt) => ({ person, garments: [shirt] as const }));
 * for await (const { index, result, error } of batch(tryon, inputs)) {
 *   if (error) console.error(index, error.message);
 *   else await writeFile(`${index}.png`, await result.image.bytes());
 * }
 */
export function batch<Item>(
  tryon: TryOn,
  inputs: Iterable<Item> | AsyncIterable<Item>,
  ...[options]: OptionsOf<Item>
): AsyncGenerator<BatchItem<Item>, void, undefined> {
  // The compiler cannot look into options of a type that depends on what the items are.
  const read = { ...options } as ReadOptions<Item>;
  check(inputs, read);
  return new RunningBatch(tryon, inputs, read).results();
}

/**
 * Options may be left out where none is required.
 *
 * @inline
 */
type OptionsOf<Item> = [Item] extends [TryOnInput]
  ? [options?: BatchOptions<Item>]
  : [options: BatchOptions<Item>];

function check<Item>(inputs: unknown, options: ReadOptions<Item>): void {
  const { journal, id, concurrency = "auto", budget, timeout } = options;
  const { stopAfterContentBlocked: mostBlocked = false } = options;
  const { [Symbol.iterator]: sync, [Symbol.asyncIterator]: async } = Object(inputs) as {
    readonly [Symbol.iterator]?: unknown;
    readonly [Symbol.asyncIterator]?: unknown;
  };
  if (typeof inputs !== "object" || inputs === null || !(sync || async)) {
    throw new InputError("inputs", "is nothing that items can be read from", {
      hint: "Give an array, or whatever else can be looped over.",
    });
  }
  if (journal && typeof id !== "function") {
    throw new InputError("id", "is missing", {
      hint: "A journal knows items by their ids: give id, a function that names an item.",
    });
  }
  if (journal && budget && typeof journal.list !== "function") {
    throw new InputError("journal", "must have a `list` method in a batch with a budget", {
      hint: "Add a `list` method that returns the last entry of each item: the budget counts what they have cost.",
    });
  }
  if (concurrency !== "auto" && !(Number.isInteger(concurrency) && concurrency >= 1)) {
    throw new InputError("concurrency", 'is neither a whole number from 1 up nor "auto"');
  }
  if (mostBlocked !== false && !(mostBlocked >= 1)) {
    throw new InputError("stopAfterContentBlocked", "is neither a number from 1 up nor false");
  }
  if (timeout !== undefined && !(readDuration(timeout) > 0)) {
    throw new InputError("timeout", "is not a length of time", {
      hint: 'Give milliseconds above 0, or a text such as "30s" or "3m".',
    });
  }
  if (budget && !(budget.maxCredits >= 0)) {
    throw new InputError("budget.maxCredits", "is not a number of credits");
  }
}
