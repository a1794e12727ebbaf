/** What a payment processor says to a charge. */
export type PaymentDecision =
  | { readonly taken: false; readonly reason: string }
  | {
      readonly taken: true;
      /** `succeeded`, `processing`, `requires_action`, `canceled`: an open set. */
      readonly status: string;
      readonly nextAction: Readonly<Record<string, unknown>> | null;
    };

/** The part of a payment processor that the service needs. */
export interface PaymentProcessor {
  pay(token: string, usd: number): PaymentDecision;
}

/** A processor that decides by what the token begins with, and moves no money. */
export const embeddedProcessor: PaymentProcessor = {
  pay(token) {
    const beginsWith = (word: string): boolean => token.startsWith(`spt_${word}`);
    if (beginsWith("declined_")) return { taken: false, reason: "the payment was declined" };
    if (beginsWith("insufficient_funds_")) return { taken: false, reason: "insufficient funds" };
    if (beginsWith("processing_")) return { taken: true, status: "processing", nextAction: null };
    if (beginsWith("canceled_")) return { taken: true, status: "canceled", nextAction: null };
    if (beginsWith("requires_action_")) {
      return {
        taken: true,
        status: "requires_action",
        nextAction: {
          type: "redirect_to_url",
          redirect_to_url: { url: "https://payments.example/authenticate" },
        },
      };
    }
    return { taken: true, status: "succeeded", nextAction: null };
  },
};
