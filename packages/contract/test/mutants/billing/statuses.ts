import type { Mutant } from "../mutant.ts";
import { buys, refusal, submits, tampered } from "../tampering.ts";

/** Statuses and refusals that are wrong, and nothing else. */
export const billingStatusMutants: readonly Mutant[] = [
  {
    name: "answers 422 for an unknown pack",
    section: "PurchaseWithSPTRequest",
    expected: ["purchase.unknown-pack"],
    plant: (mock) =>
      tampered(mock, (call) =>
        buys(call) && call.body["pack_slug"] === "no-such-pack"
          ? Promise.resolve(validationError())
          : call.send(),
      ),
  },
  {
    name: "takes a token of any kind",
    section: "PurchaseWithSPTRequest",
    expected: ["purchase.foreign-token"],
    plant: (mock) =>
      tampered(mock, (call) => {
        const { shared_payment_granted_token: token } = call.body;
        return typeof token === "string" && token.startsWith("tok")
          ? call.send({ body: { ...call.body, shared_payment_granted_token: `spt_${token}` } })
          : call.send();
      }),
  },
  {
    name: "takes tokens of 199 characters at most",
    section: "PurchaseWithSPTRequest",
    expected: ["purchase.token-length"],
    plant: (mock) =>
      tampered(mock, (call) => {
        const { shared_payment_granted_token: token } = call.body;
        return String(token).length === 200 ? Promise.resolve(validationError()) : call.send();
      }),
  },
  {
    name: "sells the pack demo when none is named",
    section: "PurchaseWithSPTRequest",
    expected: ["purchase.missing-field"],
    plant: (mock) =>
      tampered(mock, (call) =>
        buys(call) ? call.send({ body: { pack_slug: "demo", ...call.body } }) : call.send(),
      ),
  },
  {
    name: "answers 409 for a payment that found no funds",
    section: "Errors",
    expected: ["purchase.payment-failed"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        const response = await call.send();
        const poor = call.text.includes("spt_insufficient_funds_");
        return poor && response.status === 402 ? refusal(409) : response;
      }),
  },
  {
    name: "answers 400 when it is asked again after a 503",
    section: "Errors",
    expected: ["refusals.503.later"],
    plant: (mock) => {
      const broke = new Set<string>();
      return tampered(mock, async (call) => {
        const { idempotencyKey } = call;
        if (submits(call) && broke.has(idempotencyKey)) return refusal(400);
        const response = await call.send();
        if (response.status === 503 && idempotencyKey !== "") broke.add(idempotencyKey);
        return response;
      });
    },
  },
];

function validationError(): Response {
  const detail = [{ loc: ["body"], msg: "Value error", type: "value_error" }];
  return Response.json({ detail }, { status: 422 });
}
