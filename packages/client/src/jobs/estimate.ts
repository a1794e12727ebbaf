import { priceOf, type Prices } from "../billing/prices.ts";
import { InputError } from "../errors/refusal-errors.ts";
import { canonicalFields, type Fields } from "../api/canonical-fields.ts";
import type { TryOnFields } from "../types/try-on-input.ts";

/** One input, or a list or stream of inputs. Only their output sizes are read. */
export type Inputs = TryOnFields | Iterable<TryOnFields> | AsyncIterable<TryOnFields>;

/** Returns the cost of inputs. Reads only their output sizes. */
export async function estimate(
  prices: Prices,
  inputs: Inputs,
  signal: AbortSignal | undefined,
): Promise<number> {
  if (!isMany(inputs)) return costOf(inputs, "", prices);
  let [credits, index] = [0, 0];
  for await (const input of inputs) {
    signal?.throwIfAborted();
    credits += costOf(input, `inputs.${index}.`, prices);
    index += 1;
  }
  return credits;
}

function isMany(inputs: Inputs): inputs is Exclude<Inputs, TryOnFields> {
  const object: unknown = Object(inputs);
  return Symbol.iterator in Object(object) || Symbol.asyncIterator in Object(object);
}

function costOf(input: TryOnFields, place: string, prices: Prices): number {
  if (typeof input !== "object" || input === null) {
    const field = place === "" ? "inputs" : place.slice(0, -1);
    throw new InputError(field, "is not an object with person and garments");
  }
  // An input has string keys, and only those of its size are read.
  const price = priceOf(canonicalFields(input as Fields)["output_size"], prices);
  if (price !== undefined) return price;
  throw new InputError(`${place}output_size`, "is not a size that has a price", {
    hint: `Use one of ${Object.keys(prices).join(", ")}.`,
  });
}
