import type { KeyRecord, PurchaseRecord } from "../store/records.ts";
import type { Tables } from "../store/store.ts";
import { isPackSlug, packs, type PackSlug } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { changeBalance } from "./credits.ts";
import { ServiceError } from "./service-error.ts";

export interface PurchaseResponse {
  readonly purchase: PurchaseRecord;
  readonly creditsAdded: number;
  readonly creditsRemaining: number;
}

interface Payment {
  /** `succeeded`, `processing`, `requires_action`, `canceled`: other values are possible. */
  readonly status: string;
  readonly nextAction: PurchaseRecord["nextAction"];
}

const declinedTokens = {
  spt_declined_: "the payment was declined",
  spt_insufficient_funds_: "insufficient funds",
} as const;

const nextAction = {
  type: "redirect_to_url",
  redirect_to_url: { url: "https://payments.example/authenticate" },
} as const;

/** Payments by the beginning of their token. Others succeed. */
const payments: Readonly<Record<string, Payment>> = {
  spt_processing_: { status: "processing", nextAction: null },
  spt_canceled_: { status: "canceled", nextAction: null },
  spt_requires_action_: { status: "requires_action", nextAction },
};
const success: Payment = { status: "succeeded", nextAction: null };

function pay(token: string): Payment {
  const beginsToken = ([beginning]: readonly [string, unknown]) => token.startsWith(beginning);
  const reason = Object.entries(declinedTokens).find(beginsToken)?.[1];
  if (reason === undefined) return Object.entries(payments).find(beginsToken)?.[1] ?? success;
  throw new ServiceError(
    "payment-failed",
    `Payment failed: ${reason}. No credits were added.`,
    "purchase.402.payment-failed",
  );
}

function creditsOf(packSlug: PackSlug, status: string): number {
  return status === "succeeded" ? packs[packSlug].credits : 0;
}

/** Sells credit packs. A pair of key and token buys only once. */
export class Purchases {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  async purchase(
    keyId: string,
    order: { packSlug: string; token: string },
  ): Promise<PurchaseResponse> {
    const { packSlug } = order;
    if (!isPackSlug(packSlug)) {
      const known = Object.keys(packs).join(", ");
      throw new ServiceError(
        "bad-request",
        `pack_slug: unknown pack; choose one of ${known}.`,
        "purchase.400.invalid-pack-or-token",
      );
    }
    if (!order.token.startsWith("spt_")) {
      throw new ServiceError(
        "bad-request",
        "shared_payment_granted_token: must begin with spt_; pass the token that the user granted.",
        "purchase.400.invalid-pack-or-token",
      );
    }
    return this.#context.store.transact((tables) => {
      const key = tables.keys.getOrThrow(keyId);
      const account = tables.accounts.getOrThrow(key.accountId);
      // Tenants may use the same token. The prefix is unique, because every token begins with spt_.
      const token = account.tenant ? `${account.id}:${order.token}` : order.token;
      const earlier = tables.purchases.all(token)[0];
      if (earlier !== undefined) return this.#repeat(key, earlier, packSlug);
      const { options, system } = this.#context;
      const isTest = key.mode === "test";
      // A test key never reaches the processor.
      const payment = isTest ? success : pay(order.token);
      const isReported = !(isTest && options.testKeyCredits === 0);
      const purchase: PurchaseRecord = {
        paymentIntentId: `pi_${isTest ? "test_" : ""}${system.random.token(24)}`,
        keyId: key.id,
        token,
        packSlug,
        creditsAdded: isReported ? creditsOf(packSlug, payment.status) : 0,
        ...payment,
      };
      tables.purchases.put(purchase);
      const paid = isTest ? key : this.#grant(tables, key, purchase);
      return { purchase, creditsAdded: purchase.creditsAdded, creditsRemaining: paid.credits };
    });
  }

  async settle(paymentIntentId: string, status: string): Promise<boolean> {
    return this.#context.store.transact((tables) => {
      const purchase = tables.purchases.get(paymentIntentId);
      if (purchase === undefined) return false;
      if (purchase.status === "succeeded") return true;
      // Every stored purchase has the slug of a pack.
      const creditsAdded = creditsOf(purchase.packSlug as PackSlug, status);
      const settled = { ...purchase, status, creditsAdded, nextAction: null };
      tables.purchases.put(settled);
      this.#grant(tables, tables.keys.getOrThrow(purchase.keyId), settled);
      return true;
    });
  }

  #repeat(key: KeyRecord, earlier: PurchaseRecord, packSlug: PackSlug): PurchaseResponse {
    const { purchaseRepeat, repeatCredits } = this.#context.options;
    const sameOrder = earlier.keyId === key.id && earlier.packSlug === packSlug;
    if (!sameOrder || purchaseRepeat === 409) {
      throw new ServiceError(
        "conflict",
        "A payment was already processed for this token; read the balance, or ask the user for a new token.",
        "purchase.409.already-processed",
      );
    }
    return {
      purchase: earlier,
      creditsAdded: repeatCredits === 0 ? 0 : earlier.creditsAdded,
      creditsRemaining: key.credits,
    };
  }

  #grant(tables: Tables, key: KeyRecord, purchase: PurchaseRecord): KeyRecord {
    const at = this.#context.system.clock.now();
    const { paymentIntentId, creditsAdded: credits } = purchase;
    return changeBalance(tables, key, { credits, cause: "purchase", at, paymentIntentId });
  }
}
