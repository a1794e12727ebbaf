import { expect, it } from "vitest";

import { outcomeOf, unknownOutcome } from "./purchase-outcome.ts";

const response = {
  credits_added: 100,
  credits_remaining: 900,
  pack_slug: "demo",
  payment_intent_id: "pi_1",
} as const;

it.each([
  ["succeeded", { status: "succeeded", creditsAdded: 100 }],
  ["canceled", { status: "canceled", reason: "canceled" }],
  ["cancelled", { status: "canceled", reason: "cancelled" }],
  ["declined", { status: "failed", reason: "declined" }],
  ["processing", undefined],
  ["not_canceled", undefined],
  ["canceled_later", undefined],
  ["not_failed", undefined],
  ["failed_once", undefined],
])("outcomeOf takes the status %s for %j", (status, outcome) => {
  const purchase = { ...response, status };
  expect(outcomeOf(purchase)).toEqual(outcome && { ...outcome, balance: 900, purchase });
});

it("an unknown outcome has the last status and balance", () => {
  const purchase = { ...response, status: "processing" };
  const unknown = { status: "unknown", hint: "Wait.", purchase, lastStatus: "processing" };
  expect(unknownOutcome("Wait.", purchase)).toEqual({ ...unknown, balance: 900 });
  expect(unknownOutcome("Wait.", purchase, 5)).toEqual({ ...unknown, balance: 5 });
  expect(unknownOutcome("Wait.", undefined)).toMatchObject({ balance: undefined });
});
