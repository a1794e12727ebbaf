import type { OutputSize } from "../generated/openapi.ts";
import { isEmpty } from "../api/canonical-fields.ts";

/** Credits by output size. A service may have more sizes than this package knows. */
export type Prices = { readonly [Size in OutputSize]: number } & Readonly<Record<string, number>>;

/** What the service's document says. */
export const documentPrices: Prices = { "1K": 8, "2K": 12, "4K": 20 };

const defaultSize = "1K";

/** The prices that an account names, the document's where it names none; undefined when it names none at all. */
export function readPrices(named: unknown): Prices | undefined {
  const found = Object.entries(Object(named)).filter(
    (entry): entry is [string, number] => Number.isFinite(entry[1]) && Number(entry[1]) >= 0,
  );
  return found.length > 0 ? { ...documentPrices, ...Object.fromEntries(found) } : undefined;
}

/** What one try-on costs; undefined for a size that has no price. */
export function priceOf(size: unknown, prices: Prices): number | undefined {
  const name = isEmpty(size) ? defaultSize : size;
  return typeof name === "string" && Object.hasOwn(prices, name) ? prices[name] : undefined;
}

/** What one try-on costs at most: a size that has no price may have the highest. */
export function highestPriceOf(size: unknown, prices: Prices): number {
  return priceOf(size, prices) ?? Math.max(...Object.values(prices));
}
