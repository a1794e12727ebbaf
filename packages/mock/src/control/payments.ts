import type { Service } from "../service/service.ts";

/** @throws TypeError for an invalid status, RangeError for an unknown payment. */
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
    `paymentIntentId: ${JSON.stringify(paymentIntentId)} is unknown; pass the payment_intent_id of a purchase.`,
  );
}
