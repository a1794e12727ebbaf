import { isTryOnError, packs, type PackSlug, type TryOn, type TryOnErrorCode } from "@tryon/client";

import { UsageError } from "@tryon/command-line";

import { CommandError, describeError } from "./failure.ts";
import { sha256, type Purchase, type Session } from "./mcp/open-session.ts";

/** Variable of the payment token. */
export const tokenVariable = "TRYON_PAYMENT_TOKEN";

/** Slugs of the packs. */
// The keys of an object are texts for the compiler.
export const packSlugs = Object.keys(packs) as [PackSlug, ...PackSlug[]];

/** State of a purchase, with the field names of the service. */
export interface PurchaseReport {
  /** `succeeded`, `already_processed`, or a status of the payment processor that is not final. */
  readonly status: string;
  readonly pack_slug: PackSlug;
  /** Price in US dollars. 0 with a test key. */
  readonly usd: number;
  readonly credits_added?: number | undefined;
  readonly credits_remaining?: number | undefined;
  readonly payment_intent_id?: string | undefined;
  /** What the user has to do, as the payment processor describes it. */
  readonly next_action?: object | null | undefined;
  /** Meaning of the status and the next step. */
  readonly next: string;
}

/** Errors which prove that a purchase with one attempt paid nothing. */
const refusals: ReadonlySet<TryOnErrorCode> = new Set([
  ...(["bad_request", "forbidden", "invalid_input", "rate_limited"] as const),
  ...(["unauthorized", "validation_failed"] as const),
]);

const repeat = "Repeat it with the same token: a token pays once.";

/** Returns a payment token without white space around it, or nothing if there is none. */
export function readToken(value: string | undefined): string | undefined {
  const token = value?.trim() ?? "";
  if (token === "") return undefined;
  if (/^spt_[\w-]{1,196}$/.test(token)) return token;
  const problem = "The payment token does not begin with spt_, or is over 200 characters long.";
  throw new UsageError(`${problem} Nothing was sent.`);
}

/** Buys packs within the maximum of a session. */
export function createBuyer(tryon: TryOn, session: Session, isLive: boolean) {
  const digestOf = (token: string): string => sha256(JSON.stringify([session.id, token]));

  /** Reports a purchase that is final in this session. Sends no purchase. */
  const reportEnd = async (
    { usd, state, creditsAdded }: Purchase,
    pack: PackSlug,
    signal: AbortSignal,
  ): Promise<PurchaseReport> => {
    const { credits_remaining } = await tryon.account.get({ signal });
    const next = "This purchase was made before, and nothing was paid now.";
    return {
      status: state,
      pack_slug: pack,
      usd,
      credits_added: creditsAdded,
      credits_remaining,
      next,
    };
  };

  const isFinal = (name: string): boolean =>
    (session.purchase(name)?.state ?? "reserved") !== "reserved";

  return {
    isFinal,

    /** Returns true if another purchase of the session has this token. */
    isUsed: (token: string, name: string): boolean =>
      (session.purchaseOf(digestOf(token)) ?? name) !== name,

    /**
     * Buys a pack, or continues with the purchase of this name. Waits for a payment that is processed, up to `timeout`
     * milliseconds.
     *
     * @param name - Name of the purchase in its session. A name is paid once. @default pack and token
     * @throws CommandError with what is known about the payment.
     */
    async buy(
      order: {
        readonly name?: string;
        readonly pack: PackSlug;
        readonly token?: string | undefined;
      },
      timeout: number,
      signal: AbortSignal,
    ): Promise<PurchaseReport> {
      const { pack, token = "" } = order;
      const digest = digestOf(token);
      const { name = `${pack} ${digest}` } = order;
      const known = session.purchase(name);
      if (known && known.state !== "reserved") return reportEnd(known, pack, signal);
      if (known && known.token !== digest) {
        const problem = `The payment of ${pack} is open, and was begun with another token.`;
        throw new CommandError(
          "payment_open",
          `${problem} Nothing was sent. Use that token again.`,
        );
      }
      if (this.isUsed(token, name)) {
        const problem = "The payment token has paid for another purchase. A token pays once.";
        throw new CommandError("token_used", `${problem} Nothing was sent.`);
      }
      const usd = isLive ? packs[pack].usd : 0;
      if (!known) await session.reservePurchase(name, digest, usd);
      const settle = (state?: "succeeded" | "already_processed", creditsAdded?: number) =>
        session.settlePurchase(name, state && { token: digest, usd, state, creditsAdded });
      const request = { pack_slug: pack, shared_payment_granted_token: token };
      const start = tryon.clock.now();
      try {
        let last = await tryon.credits.purchase(request, { timeout, signal });
        if (last.status === "processing") {
          const left = Math.max(1, timeout - (tryon.clock.now() - start));
          const outcome = await tryon.credits.waitForPurchase(last, { timeout: left, signal });
          last = outcome.purchase ?? last;
          if (outcome.status === "failed") last = { ...last, status: "failed" };
        }
        const { status, credits_added: added } = last;
        if (status === "canceled" || status === "failed") {
          await settle();
          throw new CommandError(
            "payment_failed",
            `The payment ${status === "failed" ? "has failed" : "was canceled"}. ${failedHint}`,
          );
        }
        if (status === "succeeded") await settle("succeeded", added);
        const next = nextOf(status, isLive);
        const report: PurchaseReport = { ...last, pack_slug: pack, usd, next };
        // A service can repeat the token in any field.
        return JSON.parse(JSON.stringify(report).replaceAll(token, "spt_…")) as PurchaseReport;
      } catch (error) {
        if (!isTryOnError(error)) throw error;
        if (isTryOnError(error, "purchase_already_processed")) {
          await settle("already_processed");
          const next =
            "The token has paid before. Nothing was paid now. Compare credits_remaining with the balance before that; if its credits are missing, check the payment.";
          const { balance: credits_remaining } = error;
          return { status: "already_processed", pack_slug: pack, usd, credits_remaining, next };
        }
        const isRefused = refusals.has(error.code) && error.attempts?.length === 1 && !known;
        if (error.code === "payment_failed" || isRefused) await settle();
        const isOpen = session.purchase(name) !== undefined;
        const hint = error.code === "payment_failed" ? failedHint : isOpen ? repeat : undefined;
        throw new CommandError(error.code, describeError(error, hint));
      }
    },
  };
}

const failedHint = "Nothing was paid. The user can grant another token.";

function nextOf(status: string, isLive: boolean): string {
  if (!isLive) return "A test key: nothing was paid, and no real credits were added.";
  if (status === "succeeded") return "The credits were added.";
  const problem =
    status === "requires_action"
      ? "The user has to act, as next_action describes."
      : "The payment is not final. Its credits follow.";
  return `${problem} ${status === "requires_action" ? `After that: ${repeat}` : repeat}`;
}
