import type { CallOptions } from "../types/call-options.ts";
import { InputError } from "../errors/input-error.ts";
import { canonicalFields, type Fields } from "../api/canonical-fields.ts";
import type { TryOnFields } from "../types/try-on-input.ts";
import type { Api } from "../api/api.ts";
import { defaults } from "../config/options.ts";
import { within } from "../http/deadline.ts";
import type { SpendTracker } from "./spend-tracker.ts";
import { documentPrices, priceOf, type Prices } from "./prices.ts";

/** Prices of try-ons. */
export interface Costs {
  /** Credits for one try-on, by output size. */
  readonly costs: Prices;
  /** Source of the prices: the account, or the service's document if the account cannot be read. */
  readonly source: "account" | "document";
}

/** One input, or a list or stream of inputs. Only their output sizes are read. */
export type Inputs = TryOnFields | Iterable<TryOnFields> | AsyncIterable<TryOnFields>;

/** Parts of the client that know prices. */
interface PriceContext {
  readonly api: Api;
  readonly spendTracker: SpendTracker;
}

/** Returns the prices of the account, which is read once, or those of the document while it cannot be read. */
export async function costs(
  { api, spendTracker }: PriceContext,
  options: CallOptions,
): Promise<Costs> {
  if (spendTracker.prices === undefined) {
    await within(api.http.config, options, defaults.callTimeout, async (deadline) => {
      deadline.throwIfAborted();
      try {
        spendTracker.learn((await api.getAccount({ deadline })).data);
      } catch {
        deadline.throwIfAborted();
      }
    });
  }
  const { prices } = spendTracker;
  return prices
    ? { costs: prices, source: "account" }
    : { costs: documentPrices, source: "document" };
}

/** Returns the cost of inputs. Reads only their output sizes. */
export async function estimate(
  context: PriceContext,
  inputs: Inputs,
  options: CallOptions,
): Promise<number> {
  const { costs: prices } = await costs(context, options);
  if (!isMany(inputs)) return costOf(inputs, "", prices);
  let [credits, index] = [0, 0];
  for await (const input of inputs) {
    options.signal?.throwIfAborted();
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
  // Whatever its fields are, only their names count here.
  const price = priceOf(canonicalFields(input as Fields)["output_size"], prices);
  if (price !== undefined) return price;
  throw new InputError(`${place}output_size`, "is not a size that has a price", {
    hint: `Take one of ${Object.keys(prices).join(", ")}.`,
  });
}
