import { InputError } from "../errors/input-error.ts";
import { foldAliases, type Fields } from "../jobs/fold-aliases.ts";
import type { TryOnInput } from "../jobs/input.ts";
import type { Parts } from "../jobs/job-record.ts";
import { defaults, type CallOptions } from "../config/options.ts";
import { within } from "../http/deadline.ts";
import { bookOf } from "./spend-tracker.ts";
import { documentPrices, priceOf, type Prices } from "./prices.ts";

/** What try-ons cost. */
export interface Costs {
  /** Credits for one try-on, by output size. */
  readonly costs: Prices;
  /** Who says so: the account of the key, or, where that cannot be asked, the service's document. */
  readonly source: "account" | "document";
}

/** One input, or any number of them, also as they come. */
export type Inputs = TryOnInput | Iterable<TryOnInput> | AsyncIterable<TryOnInput>;

/** The prices of the account, asked for once; the document's as long as it cannot be asked. */
export async function costs(parts: Parts, options: CallOptions): Promise<Costs> {
  const book = bookOf(parts);
  if (book.prices === undefined) {
    await within(parts.settings(), options, defaults.callTimeout, async (deadline) => {
      deadline.throwIfAborted();
      try {
        book.learn(await parts.service.account({ deadline }));
      } catch {
        deadline.throwIfAborted();
      }
    });
  }
  const { prices } = book;
  return prices
    ? { costs: prices, source: "account" }
    : { costs: documentPrices, source: "document" };
}

/** What these inputs cost together. Looks at nothing but their sizes. */
export async function estimate(
  parts: Parts,
  inputs: Inputs,
  options: CallOptions,
): Promise<number> {
  const { costs: prices } = await costs(parts, options);
  if (!isMany(inputs)) return costOf(inputs, "", prices);
  let [credits, index] = [0, 0];
  for await (const input of inputs) {
    options.signal?.throwIfAborted();
    credits += costOf(input, `inputs.${index}.`, prices);
    index += 1;
  }
  return credits;
}

function isMany(inputs: Inputs): inputs is Exclude<Inputs, TryOnInput> {
  const object: unknown = Object(inputs);
  return Symbol.iterator in Object(object) || Symbol.asyncIterator in Object(object);
}

function costOf(input: TryOnInput, place: string, prices: Prices): number {
  if (typeof input !== "object" || input === null) {
    const field = place === "" ? "inputs" : place.slice(0, -1);
    throw new InputError(field, "is not an object with person and garments");
  }
  // Whatever its fields are, only their names count here.
  const price = priceOf(foldAliases(input as Fields)["output_size"], prices);
  if (price !== undefined) return price;
  throw new InputError(`${place}output_size`, "is not a size that has a price", {
    hint: `Take one of ${Object.keys(prices).join(", ")}.`,
  });
}
