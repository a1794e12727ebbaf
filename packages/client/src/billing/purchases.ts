import type { CallOptions } from "../types/call-options.ts";
import { transientCodes } from "../errors/transient-codes.ts";
import { isTryOnError } from "../errors/is-tryon-error.ts";
import { InputError } from "../errors/input-error.ts";
import type { TryOnErrorCode } from "../errors/code.ts";
import type { PurchaseWithSPTRequest, PurchaseWithSPTResponse } from "../generated/openapi.ts";
import type { Api } from "../api/api.ts";
import type { Responded } from "../api/call.ts";
import type { Config } from "../config/resolve-config.ts";
import { defaults } from "../config/options.ts";
import { within, type Deadline } from "../http/deadline.ts";
import type { Mark } from "./balance.ts";
import type { SpendTracker } from "./spend-tracker.ts";
import { packs } from "./packs.ts";
import { endOf, settledBy, settleDelay, type PurchaseOutcome } from "./purchase-outcome.ts";

/** A purchase that was sent, or is about to be. */
interface Order {
  readonly request: PurchaseWithSPTRequest;
  /** The credits that it may add, or has added. */
  credits: number;
  /** Whether it has ended. */
  ended: boolean;
  /** Where the key stood when the purchase was heard of and its credits were not there. */
  mark?: Mark;
}

/** After these, when nothing was sent before, nothing was bought. */
const refused = new Set<TryOnErrorCode>([
  "bad_request",
  "validation_failed",
  "unauthorized",
  "payment_failed",
]);
const mostCredits = Math.max(...Object.values(packs).map(({ credits }) => credits));

/** The purchases of a client. */
export class Purchases {
  readonly config: Config;
  readonly #api: Api;
  readonly #spendTracker: SpendTracker;
  readonly #orders = new Map<string, Order>();
  /** Holds what is needed to repeat a purchase, without showing the token. */
  readonly #responses = new WeakMap<object, Order>();

  constructor(config: Config, api: Api, spendTracker: SpendTracker) {
    this.config = config;
    this.#api = api;
    this.#spendTracker = spendTracker;
  }

  /** Buys a pack; a 409 has the balance on it, if that can be learned. */
  async buy(
    request: PurchaseWithSPTRequest,
    deadline: Deadline,
  ): Promise<Responded<PurchaseWithSPTResponse>> {
    try {
      return await this.#send(this.#order(request), deadline);
    } catch (error) {
      if (isTryOnError(error, "purchase_already_processed")) {
        const balance = await this.#balance(deadline);
        if (balance !== undefined) Reflect.set(error, "balance", balance);
      }
      throw error;
    }
  }

  /** Repeats a purchase until its end is known. */
  async waitForPurchase(
    subject: PurchaseWithSPTRequest | PurchaseWithSPTResponse,
    options: CallOptions,
  ): Promise<PurchaseOutcome> {
    const isRequest = "shared_payment_granted_token" in Object(subject);
    // The token tells a request from an answer.
    const order = isRequest
      ? this.#order(subject as PurchaseWithSPTRequest)
      : this.#responses.get(subject);
    if (order === undefined) {
      throw new InputError("purchase", "was not made by this client", {
        hint: "Give the request: its pack_slug and shared_payment_granted_token.",
      });
    }
    const first = isRequest ? undefined : (subject as PurchaseWithSPTResponse);
    return within(this.config, options, defaults.callTimeout, (deadline) =>
      this.#settle(order, first, deadline),
    );
  }

  async #settle(
    order: Order,
    first: PurchaseWithSPTResponse | undefined,
    deadline: Deadline,
  ): Promise<PurchaseOutcome> {
    const { random } = this.config;
    let purchase = first;
    let balance = first?.credits_remaining;
    let repeats = true;
    for (let looks = first ? 1 : 0; ; looks += 1) {
      const ended = purchase && settledBy(purchase);
      if (ended) return ended;
      const pause = looks === 0 ? 0 : settleDelay(looks - 1, random);
      try {
        deadline.throwIfAborted();
        if (pause > 0) await deadline.sleep(pause);
        if (repeats) {
          purchase = (await this.#send(order, deadline)).data;
          balance = purchase.credits_remaining;
          continue;
        }
      } catch (error) {
        deadline.throwIfAborted();
        if (deadline.passed)
          return { status: "unknown", lastStatus: purchase?.status, balance, purchase };
        if (isTryOnError(error, "payment_failed")) {
          return { status: "failed", reason: error.message, balance, purchase: undefined };
        }
        if (isTryOnError(error, "purchase_already_processed")) repeats = false;
        else if (!isTryOnError(error) || !transientCodes.has(error.code)) throw error;
      }
      if (repeats) continue;
      balance = (await this.#balance(deadline)) ?? balance;
      if (this.#isThere(order, balance)) {
        this.#end(order, order.credits);
        return { status: "succeeded", creditsAdded: order.credits, balance, purchase: undefined };
      }
    }
  }

  /** Whether a balance shows the credits of a purchase. */
  #isThere({ mark, credits }: Order, balance: number | undefined): boolean {
    if (mark === undefined || balance === undefined) return false;
    return this.#spendTracker.shows(credits, mark, balance);
  }

  #order(request: PurchaseWithSPTRequest): Order {
    const { pack_slug: slug, shared_payment_granted_token: token } = request;
    const name = `${slug}\n${token}`;
    const known = this.#orders.get(name);
    if (known) return known;
    const order = { request: { ...request }, credits: 0, ended: true };
    this.#orders.set(name, order);
    return order;
  }

  async #send(order: Order, deadline: Deadline): Promise<Responded<PurchaseWithSPTResponse>> {
    const spendTracker = this.#spendTracker;
    const isTest = this.config.apiKey.startsWith("svc_test_");
    if (order.ended && order.credits === 0 && !isTest) {
      order.credits = packs[order.request.pack_slug]?.credits ?? mostCredits;
      order.ended = false;
      spendTracker.bought(order.credits, order.credits);
    }
    const { certainlyTaken } = spendTracker;
    try {
      const sent = await this.#api.purchaseCredits(order.request, { deadline });
      const purchase = sent.data;
      this.#responses.set(purchase, order);
      const end = endOf(purchase.status);
      if (end) this.#end(order, end === "succeeded" ? order.credits : 0);
      else if (Number.isFinite(purchase.credits_remaining)) {
        order.mark ??= spendTracker.mark(purchase.credits_remaining, certainlyTaken);
      }
      return sent;
    } catch (error) {
      const alone = isTryOnError(error) && error.attempts.length === 1 && !order.mark;
      if (alone && refused.has(error.code)) this.#end(order, 0);
      throw error;
    }
  }

  /** Takes that a purchase has added so many credits, and will add no more. */
  #end(order: Order, credits: number): void {
    if (order.ended) return;
    this.#spendTracker.bought(credits - order.credits, -order.credits);
    order.credits = credits;
    order.ended = true;
  }

  async #balance(deadline: Deadline): Promise<number | undefined> {
    const account = await this.#api.getAccount({ deadline }).catch(() => undefined);
    deadline.throwIfAborted();
    const balance = account?.data.credits_remaining;
    return Number.isFinite(balance) ? balance : undefined;
  }
}
