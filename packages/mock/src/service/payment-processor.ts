/** Decision of a payment processor on a charge. */
export type PaymentDecision =
  | { readonly accepted: false; readonly reason: string }
  | {
      readonly accepted: true;
      /** `succeeded`, `processing`, `requires_action`, `canceled`: other values are possible. */
      readonly status: string;
      readonly nextAction: Readonly<Record<string, unknown>> | null;
    };

/** Payment processor, as far as the service needs it. */
export interface PaymentProcessor {
  pay(token: string, usd: number): PaymentDecision;
}

/** Processor that decides by the prefix of the token and charges nothing. */
export const embeddedProcessor: PaymentProcessor = {
  pay(token) {
    const beginsWith = (word: string): boolean => token.startsWith(`spt_${word}`);
    if (beginsWith("declined_")) return { accepted: false, reason: "the payment was declined" };
    if (beginsWith("insufficient_funds_")) return { accepted: false, reason: "insufficient funds" };
    if (beginsWith("processing_"))
      return { accepted: true, status: "processing", nextAction: null };
    if (beginsWith("canceled_")) return { accepted: true, status: "canceled", nextAction: null };
    if (beginsWith("requires_action_")) {
      return {
        accepted: true,
        status: "requires_action",
        nextAction: {
          type: "redirect_to_url",
          redirect_to_url: { url: "https://payments.example/authenticate" },
        },
      };
    }
    return { accepted: true, status: "succeeded", nextAction: null };
  },
};
