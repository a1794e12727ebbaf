import type { PackSlug } from "../generated/openapi.ts";

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

/** What a pack of credits costs and holds. */
export interface Pack {
  /** The price in US dollars. */
  readonly usd: number;
  readonly credits: number;
}
