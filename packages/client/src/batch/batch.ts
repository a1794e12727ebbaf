import { InputError, type TryOn, type TryOnInput } from "@tryon/client";

import { readDuration, unknownOption } from "../config/resolve-config.ts";
import {
  batchOptionNames,
  type BatchItem,
  type BatchOptions,
  type ReadOptions,
} from "./options.ts";
import { isRefusal, type RetryFailed } from "./retry-failed.ts";
import { runBatch } from "./running-batch.ts";

/**
 * Runs a try-on for each item, many at once, and yields the items as they end. It reads items only when it can start
 * them, so `inputs` may be of any length, and items that a shared journal has as finished in pages of up to 500. A slow loop
 * slows down the starts. A failed item is yielded with its error, and the batch continues.
 *
 * Breaking out of the loop starts no other item. Jobs in flight continue and are charged once.
 *
 * @param tryon - Client that submits the items.
 * @param inputs - Items, in an iterable or async iterable.
 * @param options - Options of the batch. Optional if the items are inputs.
 * @throws `invalid_input` immediately for an invalid option. `batch_stopped` if every other item would fail the same way;
 * `cause` is the reason. It throws this error, and errors of `inputs`, after all items in flight. If `signal` is aborted,
 * its reason, immediately.
 * @example
 * import { TryOn } from "@tryon/client";
 * import { batch } from "@tryon/client/batch";
 *
 * const tryon = new TryOn();
 * const inputs = shirts.map((shirt) => ({ person, garments: [shirt] as const }));
 * for await (const { index, result, error } of batch(tryon, inputs)) {
 *   if (error) console.error(index, error.message);
 *   else await result.image.save(`${index}.png`);
 * }
 */
export function batch<Item>(
  tryon: TryOn,
  inputs: Iterable<Item> | AsyncIterable<Item>,
  ...[options]: OptionsOf<Item>
): AsyncGenerator<BatchItem<Item>, void, undefined> {
  // The compiler cannot resolve a type that depends on the type of the items.
  const read = { ...options } as ReadOptions<Item>;
  checkOptions(inputs, read);
  return runBatch(tryon, inputs, read);
}

/**
 * Makes the options optional if none is required.
 *
 * @inline
 */
type OptionsOf<Item> = [Item] extends [TryOnInput]
  ? [options?: BatchOptions<Item>]
  : [options: BatchOptions<Item>];

function checkOptions(inputs: unknown, options: ReadOptions<never>): void {
  const { journal, id, concurrency = "auto", budget, timeout } = options;
  const { stopAfterContentBlocked: maxBlocked = false, retryFailed } = options;
  const unknown = unknownOption("batch", options, batchOptionNames);
  if (unknown) throw new InputError(...unknown);
  const isIterable = [Symbol.iterator, Symbol.asyncIterator].some((key) => key in Object(inputs));
  check(
    typeof inputs === "object" && isIterable,
    "inputs",
    "must be an iterable or async iterable",
    "Pass an array, a generator or a stream.",
  );
  check(
    !journal || typeof id === "function",
    "id",
    "must be a function in a batch with a journal",
    "Pass a function that returns a unique id for each item.",
  );
  check(
    !journal || !budget || typeof journal.list === "function",
    "journal",
    "must have a `list` method in a batch with a budget",
    "Add a `list` method that returns the last entry of each item: the budget counts what they have cost.",
  );
  check(
    concurrency === "auto" || (Number.isInteger(concurrency) && concurrency >= 1),
    "concurrency",
    'must be a positive integer or "auto"',
  );
  check(
    maxBlocked === false || (typeof maxBlocked === "number" && maxBlocked >= 1),
    "stopAfterContentBlocked",
    "must be a positive number or false",
  );
  if (retryFailed !== undefined) checkRetryFailed(retryFailed);
  check(
    timeout === undefined || readDuration(timeout) > 0,
    "timeout",
    'must be a positive number of milliseconds, or a string such as "30s"',
  );
}

function checkRetryFailed(policy: RetryFailed): void {
  // Programs without types can pass anything.
  const { maxAttempts, codes = [] } = Object(policy) as RetryFailed;
  const isNumber = Number.isInteger(maxAttempts) && maxAttempts >= 1 && maxAttempts <= 10;
  const isList = Array.isArray(codes) && codes.every((code) => typeof code === "string");
  check(
    isNumber && isList,
    "retryFailed",
    "must be an object with `maxAttempts`, a whole number from 1 to 10, and optional `codes`, an array of strings",
  );
  check(
    !codes.some(isRefusal),
    "retryFailed",
    "must be without reasons in `codes` that refuse content",
    "Remove them: repeated refusals can suspend the key. Change the image or the prompt, and use a new id.",
  );
}

function check(isValid: boolean, option: string, problem: string, hint?: string): void {
  if (!isValid) throw new InputError(option, problem, hint === undefined ? {} : { hint });
}
