import type { KeyRecord, PurchaseRecord } from "../store/records.ts";
import type { Transaction } from "../store/store.ts";
import { isPackSlug, packs, type PackSlug } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { changeBalance } from "./credits.ts";
import { mustFind } from "./keys.ts";
import type { PaymentDecision, PaymentProcessor } from "./payment-processor.ts";
import { ServiceError } from "./service-error.ts";

export interface PurchaseResponse {
  readonly purchase: PurchaseRecord;
  /** Credits that this call added. */
  readonly creditsAdded: number;
  readonly creditsRemaining: number;
}

/** Sells credit packs. A pair of key and token buys once, however often it is sent. */
export class Purchases {
  readonly #context: ServiceContext;
  readonly #processor: PaymentProcessor;

  constructor(context: ServiceContext, processor: PaymentProcessor) {
    this.#context = context;
    this.#processor = processor;
  }

  /** @throws Refusal `bad-request`, `payment-failed` or `conflict`; no credits were added then. */
  purchase(keyId: string, order: { packSlug: string; token: string }): Promise<PurchaseResponse> {
    const { packSlug } = order;
    if (!isPackSlug(packSlug)) {
      const known = Object.keys(packs).join(", ");
      throw new ServiceError("bad-request", `pack_slug: unknown pack; choose one of ${known}.`);
    }
    if (!order.token.startsWith("spt_")) {
      throw new ServiceError(
        "bad-request",
        "shared_payment_granted_token: has to begin with spt_; pass the token that the user granted.",
      );
    }
    return this.#context.store.transact(async (transaction) => {
      const key = await mustFind(transaction, keyId);
      const account = await transaction.account(key.accountId);
      // Tenants may use the same token. No other record begins like this, since every token begins with spt_.
      const token = account?.tenant === true ? `${account.id}:${order.token}` : order.token;
      const earlier = await transaction.purchaseByToken(token);
      if (earlier !== undefined) return this.#again(key, earlier, packSlug);
      if (key.mode === "test") return this.#pretend(transaction, key, packSlug, token);
      const decision = this.#processor.pay(order.token, packs[packSlug].usd);
      return this.#buy(transaction, key, { packSlug, token, decision });
    });
  }

  /**
   * Takes the processor's word that a payment has gone through and gives its credits, once.
   *
   * @returns whether there is such a payment.
   */
  settle(paymentIntentId: string, status: string): Promise<boolean> {
    return this.#context.store.transact(async (transaction) => {
      const purchase = await transaction.purchase(paymentIntentId);
      if (purchase === undefined) return false;
      if (purchase.granted) return true;
      const granted = status === "succeeded";
      // A purchase is only ever recorded with the slug of a pack.
      const creditsAdded = granted ? packs[purchase.packSlug as PackSlug].credits : 0;
      const settled = { ...purchase, status, granted, creditsAdded, nextAction: null };
      await transaction.putPurchase(settled);
      if (granted) {
        const key = await mustFind(transaction, purchase.keyId);
        await this.#grant(transaction, key, settled);
      }
      return true;
    });
  }

  #again(key: KeyRecord, earlier: PurchaseRecord, packSlug: PackSlug): PurchaseResponse {
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

  async #pretend(
    transaction: Transaction,
    key: KeyRecord,
    packSlug: PackSlug,
    token: string,
  ): Promise<PurchaseResponse> {
    const purchase: PurchaseRecord = {
      paymentIntentId: `pi_test_${this.#context.system.random.token(24)}`,
      keyId: key.id,
      token,
      packSlug,
      status: "succeeded",
      creditsAdded: packs[packSlug].credits,
      nextAction: null,
      granted: true,
    };
    await transaction.putPurchase(purchase);
    return { purchase, creditsAdded: purchase.creditsAdded, creditsRemaining: key.credits };
  }

  async #buy(
    transaction: Transaction,
    key: KeyRecord,
    order: { packSlug: PackSlug; token: string; decision: PaymentDecision },
  ): Promise<PurchaseResponse> {
    const { packSlug, token, decision } = order;
    if (!decision.taken) {
      throw new ServiceError(
        "payment-failed",
        `Payment failed: ${decision.reason}. No credits were added.`,
      );
    }
    const granted = decision.status === "succeeded";
    const purchase: PurchaseRecord = {
      paymentIntentId: `pi_${this.#context.system.random.token(24)}`,
      keyId: key.id,
      token,
      packSlug,
      status: decision.status,
      creditsAdded: granted ? packs[packSlug].credits : 0,
      nextAction: decision.nextAction,
      granted,
    };
    await transaction.putPurchase(purchase);
    const paid = granted ? await this.#grant(transaction, key, purchase) : key;
    return { purchase, creditsAdded: purchase.creditsAdded, creditsRemaining: paid.credits };
  }

  async #grant(
    transaction: Transaction,
    key: KeyRecord,
    purchase: PurchaseRecord,
  ): Promise<KeyRecord> {
    const at = this.#context.system.clock.now();
    const { paymentIntentId, creditsAdded: credits } = purchase;
    return changeBalance(transaction, key, { credits, cause: "purchase", at, paymentIntentId });
  }
}
