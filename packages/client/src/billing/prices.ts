import { canonicalFields, isEmpty, type Fields } from "../api/canonical-fields.ts";
import { InputError } from "../errors/refusal-errors.ts";
import type { AccountResponse, OutputSize, PackSlug } from "@tryon/spec/openapi";
import { isCredits } from "./count-credits.ts";
import type { TryOnFields } from "../types/try-on-input.ts";

/** Credits by output size. A service may have more sizes than this package knows. */
export type Prices = { readonly [Size in OutputSize]: number } & Readonly<Record<string, number>>;

export const documentPrices: Prices = { "1K": 8, "2K": 12, "4K": 20 };

/** Prices of try-ons. */
export interface Costs {
  /** Credits for one try-on, by output size. */
  readonly costs: Prices;
  /** Source of the prices: the account, or the service's document if the account cannot be read. */
  readonly source: "account" | "document";
}

/** Returns the prices of an account, with the document's for missing sizes, or undefined if it has no price. */
export function readPrices({ tryon_cost_credits: stated }: AccountResponse): Prices | undefined {
  const prices = Object.entries(Object(stated)).filter((entry): entry is [string, number] =>
    isCredits(entry[1]),
  );
  return prices.length > 0 ? { ...documentPrices, ...Object.fromEntries(prices) } : undefined;
}

/** Returns the price of a try-on, or undefined for a size without one. Without a size, the service makes 1K. */
function priceOf(size: unknown, prices: Prices): number | undefined {
  const name = isEmpty(size) ? "1K" : size;
  return Object.entries(prices).find(([known]) => known === name)?.[1];
}

/** Returns the maximum price of a try-on: for a size without a price, the highest of all. */
export function highestPriceOf(size: unknown, prices: Prices): number {
  return priceOf(size, prices) ?? Math.max(...Object.values(prices));
}

/** One input, or a list or stream of inputs. Only their output sizes are read. */
export type Inputs = TryOnFields | Iterable<TryOnFields> | AsyncIterable<TryOnFields>;

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

/**
 * The packs of credits that `tryon.credits.purchase` buys: the price in US dollars, and the credits.
 *
 * @example
 * import { packs } from "@tryon/client";
 *
 * packs.starter.credits; // 1200
 */
export const packs: { readonly [Slug in PackSlug]: Pack } = {
  demo: { usd: 2, credits: 100 },
  starter: { usd: 25, credits: 1_200 },
  pro: { usd: 99, credits: 5_600 },
  scale: { usd: 499, credits: 32_000 },
  enterprise: { usd: 999, credits: 72_000 },
};

/** Price and content of a pack of credits. */
export interface Pack {
  /** The price in US dollars. */
  readonly usd: number;
  /** Number of credits that the pack adds. */
  readonly credits: number;
}
