import type { Counted } from "./budget-limit.ts";

/** How far a try-on has come, as far as credits go. */
export type ChargeState =
  /** It is being sent, or about to be. */
  | "open"
  /** It may have been made. */
  | "unknown"
  /** It may have been made, and too long ago to be made yet: the balance tells whether it was. */
  | "lost"
  /** It was made, and its cost was not told. */
  | "accepted"
  /** It was made and paid for. */
  | "charged"
  | "succeeded"
  /** It was paid for, and may have been refunded. */
  | "failed"
  /** Nothing was made; sending it again would need room anew. */
  | "free"
  /** It is a job that is counted elsewhere. */
  | "counted";

/** What a charge adds to the sums of a book and of budgets, as parts of its credits. */
export interface Shares {
  /** May have been taken from the balance. */
  readonly taken: number;
  readonly reserved: number;
  readonly spent: number;
  /** Was taken, and may have come back. */
  readonly loose: number;
  /** Is known to have failed or is lost, so that a budget may get it back. */
  readonly doubt: number;
}

/** The shares of what has not begun, or came to nothing. */
export const noShares: Shares = { taken: 0, reserved: 0, spent: 0, loose: 0, doubt: 0 };
const pending: Shares = { ...noShares, taken: 1, reserved: 1 };
const paid: Shares = { ...noShares, taken: 1, spent: 1 };
const doubted: Shares = { ...paid, loose: 1, doubt: 1 };

const shares: Readonly<Record<ChargeState, Shares>> = {
  open: pending,
  unknown: pending,
  lost: doubted,
  accepted: { ...pending, loose: 1 },
  charged: { ...paid, loose: 1 },
  succeeded: paid,
  failed: doubted,
  free: noShares,
  counted: noShares,
};

/** What a submission asks to be counted. */
export interface ChargePlan {
  /** The output size, as it is sent. */
  readonly size: unknown;
  readonly idempotencyKey: string;
  /** Whether others may have used the key, so that its job may have been paid for before. */
  readonly ownKey: boolean;
  readonly budgets: readonly Counted[];
}

/** The credits of one try-on, from before it is sent. The {@link SpendTracker} it is in changes it. */
export class Charge {
  readonly plan: ChargePlan;
  /** What it costs: an estimate until the service says. */
  credits: number;
  state: ChargeState = "open";
  /** When it was last sent, in milliseconds since 1970. */
  sentAt: number;
  /** Whether it was begun before the balance was first known. */
  readonly early: boolean;

  constructor(plan: ChargePlan, begun: Pick<Charge, "credits" | "sentAt" | "early">) {
    this.plan = plan;
    this.credits = begun.credits;
    this.sentAt = begun.sentAt;
    this.early = begun.early;
  }

  /** What it adds to the sums now, in credits. */
  get sums(): Shares {
    const { taken, reserved, spent, loose, doubt } = shares[this.state];
    const { credits } = this;
    // The job of an own key may have been paid for before this client was there.
    const open = this.state === "succeeded" && this.plan.ownKey ? 1 : loose;
    return {
      taken: taken * credits,
      reserved: reserved * credits,
      spent: spent * credits,
      loose: open * credits,
      doubt: doubt * credits,
    };
  }
}

/** Where a charge goes when the service says something of its job. */
export function nextState(state: ChargeState, status: string, costKnown: boolean): ChargeState {
  if (state === "succeeded" || state === "failed") return state;
  if (status === "succeeded" || status === "failed") return status;
  return costKnown || state === "charged" ? "charged" : "accepted";
}
