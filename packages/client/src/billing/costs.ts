import type { Api } from "../api/api.ts";
import type { Deadline } from "../http/deadline.ts";
import { documentPrices, type Prices } from "./prices.ts";
import type { SpendTracker } from "./spend-tracker.ts";

/** Prices of try-ons. */
export interface Costs {
  /** Credits for one try-on, by output size. */
  readonly costs: Prices;
  /** Source of the prices: the account, or the service's document if the account cannot be read. */
  readonly source: "account" | "document";
}

/** Parts of the client that have prices. */
export interface PriceContext {
  readonly api: Api;
  readonly spendTracker: SpendTracker;
}

/** Returns the prices of the account, which is read once, or those of the document while it cannot be read. */
export async function costs(
  { api, spendTracker }: PriceContext,
  deadline: Deadline,
): Promise<Costs> {
  deadline.throwIfAborted();
  if (spendTracker.prices === undefined) {
    try {
      spendTracker.updatePrices((await api.getAccount({ deadline })).data);
    } catch {
      deadline.throwIfAborted();
    }
  }
  const { prices } = spendTracker;
  return prices
    ? { costs: prices, source: "account" }
    : { costs: documentPrices, source: "document" };
}
