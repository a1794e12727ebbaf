import type { Charge } from "./charge.ts";

/** A balance, and what had been taken and bought by then. */
export interface Mark {
  readonly balance: number;
  readonly taken: number;
  readonly bought: number;
}

/**
 * By how much a balance is higher than if everything taken since the mark were gone for good and everything bought were
 * there: that much has come back, or was never taken. What others take from the key makes it less; what they buy, or what
 * is given back to them of before the mark, makes it more.
 */
export function surplusOf(balance: number, mark: Mark, now: Omit<Mark, "balance">): number {
  return balance - mark.balance + (now.taken - mark.taken) - (now.bought - mark.bought);
}

/** What charges hold of the credits that may or may not have been taken yet. */
export function heldBy(charges: Iterable<Charge>): number {
  let credits = 0;
  for (const charge of charges) credits += charge.sums.taken;
  return credits;
}
