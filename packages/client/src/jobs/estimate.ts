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
  const isList = isMany(inputs);
  let [credits, index] = [0, 0];
  for await (const input of isList ? inputs : [inputs]) {
    signal?.throwIfAborted();
    const item = isList ? `inputs.${index}` : "inputs";
    if (typeof input !== "object" || input === null) {
      throw new InputError(item, "is not an object with person and garments");
    }
    // An input has string keys, and only those of its size are read.
    const price = priceOf(canonicalFields(input as Fields)["output_size"], prices);
    if (price === undefined) {
      const field = isList ? `${item}.output_size` : "output_size";
      throw new InputError(field, "is not a size that has a price", {
        hint: `Use one of ${Object.keys(prices).join(", ")}.`,
      });
    }
    credits += price;
    index += 1;
  }
  return credits;
}

function isMany(inputs: Inputs): inputs is Exclude<Inputs, TryOnFields> {
  return Symbol.iterator in Object(inputs) || Symbol.asyncIterator in Object(inputs);
}
