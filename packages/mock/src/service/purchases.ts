import type { KeyRecord, PurchaseRecord } from "../store/records.ts";
import { getKey, type Transaction } from "../store/store.ts";
import { isPackSlug, packs, type PackSlug } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { changeBalance } from "./credits.ts";
import type { PaymentDecision, PaymentProcessor } from "./payment-processor.ts";
import { ServiceError } from "./service-error.ts";

/** Result of a purchase. */
export interface PurchaseResponse {
  readonly purchase: PurchaseRecord;
  /** Credits that this request added. */
  readonly creditsAdded: number;
  readonly creditsRemaining: number;
}

/** Response of the payment processor to a test key, which never reaches it. */
const testPayment: PaymentDecision = { accepted: true, status: "succeeded", nextAction: null };

/** Sells credit packs. A pair of key and token buys only once. */
export class Purchases {
  readonly #context: ServiceContext;
  readonly #processor: PaymentProcessor;

  constructor(context: ServiceContext, processor: PaymentProcessor) {
    this.#context = context;
    this.#processor = processor;
  }

  /** @throws ServiceError `bad-request`, `payment-failed` or `conflict`. No credits are added then. */
  async purchase(
    keyId: string,
    order: { packSlug: string; token: string },
  ): Promise<PurchaseResponse> {
    const { packSlug } = order;
    if (!isPackSlug(packSlug)) {
      const known = Object.keys(packs).join(", ");
      throw new ServiceError("bad-request", `pack_slug: unknown pack; choose one of ${known}.`);
    }
    if (!order.token.startsWith("spt_")) {
      throw new ServiceError(
        "bad-request",
        "shared_payment_granted_token: must begin with spt_; pass the token that the user granted.",
      );
    }
    return this.#context.store.transact((transaction) => {
      const key = getKey(transaction, keyId);
      const account = transaction.account(key.accountId);
      // Tenants may use the same token. The prefix is unique, because every token begins with spt_.
      const token = account?.tenant === true ? `${account.id}:${order.token}` : order.token;
      const earlier = transaction.purchaseByToken(token);
      if (earlier !== undefined) return this.#repeat(key, earlier, packSlug);
      const isTest = key.mode === "test";
      const decision = isTest ? testPayment : this.#processor.pay(order.token, packs[packSlug].usd);
      if (!decision.accepted) {
        throw new ServiceError(
          "payment-failed",
          `Payment failed: ${decision.reason}. No credits were added.`,
        );
      }
      const granted = decision.status === "succeeded";
      const purchase: PurchaseRecord = {
        paymentIntentId: `pi_${isTest ? "test_" : ""}${this.#context.system.random.token(24)}`,
        keyId: key.id,
        token,
        packSlug,
        status: decision.status,
        creditsAdded: granted ? packs[packSlug].credits : 0,
        nextAction: decision.nextAction,
        granted,
      };
      transaction.putPurchase(purchase);
      const paid = granted && !isTest ? this.#grant(transaction, key, purchase) : key;
      return { purchase, creditsAdded: purchase.creditsAdded, creditsRemaining: paid.credits };
    });
  }

  /** Records the final status of a payment and grants its credits once. Returns false for an unknown payment. */
  async settle(paymentIntentId: string, status: string): Promise<boolean> {
    return this.#context.store.transact((transaction) => {
      const purchase = transaction.purchase(paymentIntentId);
      if (purchase === undefined) return false;
      if (purchase.granted) return true;
      const granted = status === "succeeded";
      // Every stored purchase has the slug of a pack.
      const creditsAdded = granted ? packs[purchase.packSlug as PackSlug].credits : 0;
      const settled = { ...purchase, status, granted, creditsAdded, nextAction: null };
      transaction.putPurchase(settled);
      if (granted) {
        const key = getKey(transaction, purchase.keyId);
        this.#grant(transaction, key, settled);
      }
      return true;
    });
  }

  #repeat(key: KeyRecord, earlier: PurchaseRecord, packSlug: PackSlug): PurchaseResponse {
    const sameOrder = earlier.keyId === key.id && earlier.packSlug === packSlug;
    if (!sameOrder || this.#context.options.purchaseRepeat === 409) {
      throw new ServiceError(
        "conflict",
        "A payment was already processed for this token; read the balance, or ask the user for a new token.",
      );
    }
    return {
      purchase: earlier,
      creditsAdded: earlier.creditsAdded,
      creditsRemaining: key.credits,
    };
  }

  #grant(transaction: Transaction, key: KeyRecord, purchase: PurchaseRecord): KeyRecord {
    const at = this.#context.system.clock.now();
    const { paymentIntentId, creditsAdded: credits } = purchase;
    return changeBalance(transaction, key, { credits, cause: "purchase", at, paymentIntentId });
  }
}
