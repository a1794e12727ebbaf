import type { Service } from "../service/service.ts";

/** @throws TypeError for a status that is no text, RangeError for a payment that there is none of. */
export async function settlePayment(
  service: Service,
  paymentIntentId: string,
  status: unknown,
): Promise<void> {
  if (typeof status !== "string" || status === "") {
    throw new TypeError('status has to be a text such as "succeeded" or "canceled".');
  }
  if (await service.purchases.settle(paymentIntentId, status)) return;
  throw new RangeError(
    `paymentIntentId: there is no payment ${JSON.stringify(paymentIntentId)}; pass the payment_intent_id of a purchase.`,
  );
}
