import { mutants, type Mutant } from "../mutant.ts";
import { buys, refusal, submits, tampered, type Tamper } from "../tampering.ts";

const tamper =
  (change: Tamper): Mutant["plant"] =>
  (mock) =>
    tampered(mock, change);

/** Mutants that only change the status of a response. */
export const billingStatusMutants: readonly Mutant[] = [
  ...mutants("PurchaseWithSPTRequest", tamper, {
    "purchase.unknown-pack": [
      "responds with 422 to an unknown pack",
      async (call) =>
        buys(call) && call.body["pack_slug"] === "no-such-pack" ? validationError() : call.send(),
    ],
    "purchase.foreign-token": [
      "takes a token of any kind",
      (call) => {
        const { shared_payment_granted_token: token } = call.body;
        return typeof token === "string" && token.startsWith("tok")
          ? call.send({ body: { ...call.body, shared_payment_granted_token: `spt_${token}` } })
          : call.send();
      },
    ],
    "purchase.token-length": [
      "takes tokens of at most 199 characters",
      async (call) => {
        const { shared_payment_granted_token: token } = call.body;
        return String(token).length === 200 ? validationError() : call.send();
      },
    ],
    "purchase.missing-field": [
      "sells the pack demo without a pack in the request",
      (call) =>
        buys(call) ? call.send({ body: { pack_slug: "demo", ...call.body } }) : call.send(),
    ],
  }),
  ...mutants("Errors", tamper, {
    "purchase.payment-failed": [
      "responds with 409 to a payment without funds",
      async (call) => {
        const response = await call.send();
        const isPoor = call.text.includes("spt_insufficient_funds_");
        return isPoor && response.status === 402 ? refusal(409) : response;
      },
    ],
  }),
  {
    name: "responds with 400 to a retry after a 503",
    section: "Errors",
    expected: ["refusals.503.later"],
    plant: (mock) => {
      const failed = new Set<string>();
      return tampered(mock, async (call) => {
        const { idempotencyKey } = call;
        if (submits(call) && failed.has(idempotencyKey)) return refusal(400);
        const response = await call.send();
        if (response.status === 503 && idempotencyKey !== "") failed.add(idempotencyKey);
        return response;
      });
    },
  },
];

function validationError(): Response {
  const detail = [{ loc: ["body"], msg: "Value error", type: "value_error" }];
  return Response.json({ detail }, { status: 422 });
}
