import { isEmpty } from "../api/canonical-fields.ts";
import type { AccountResponse, OutputSize, PackSlug } from "../generated/openapi.ts";

/** Credits by output size. A service may have more sizes than this package knows. */
export type Prices = { readonly [Size in OutputSize]: number } & Readonly<Record<string, number>>;

/** Prices of the service's document. */
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
  const prices = Object.entries(Object(stated)).filter(
    (entry): entry is [string, number] => Number.isFinite(entry[1]) && Number(entry[1]) >= 0,
  );
  return prices.length > 0 ? { ...documentPrices, ...Object.fromEntries(prices) } : undefined;
}

/** Returns the price of a try-on, or undefined for a size without one. Without a size, the service makes 1K. */
export function priceOf(size: unknown, prices: Prices): number | undefined {
  const name = isEmpty(size) ? "1K" : size;
  return Object.entries(prices).find(([known]) => known === name)?.[1];
}

/** Returns the maximum price of a try-on: for a size without a price, the highest of all. */
export function highestPriceOf(size: unknown, prices: Prices): number {
  return priceOf(size, prices) ?? Math.max(...Object.values(prices));
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
  readonly credits: number;
}
