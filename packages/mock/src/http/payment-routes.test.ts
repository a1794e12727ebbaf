import { describe, expect, test } from "vitest";

import type { Mock } from "../mock.ts";
import { manualServer } from "../../test/caller.ts";
import { notify } from "../../test/payments.ts";
import { covers } from "../../test/covers.ts";

function order(token: string) {
  return { pack_slug: "demo", shared_payment_granted_token: token };
}

async function balanceOf(mock: Mock): Promise<number | undefined> {
  return (await mock.ledger(mock.keys.live))?.balance;
}

async function pending() {
  const { mock, call } = manualServer();
  const { body } = await call.purchase(order("spt_processing_1"));
  return { mock, call, id: body.payment_intent_id };
}

describe("a pending payment", () => {
  test.each([
    ["spt_processing_1", "processing"],
    ["spt_requires_action_1", "requires_action"],
  ])("of %s adds its credits once, after its notification", async (token, status) => {
    covers(
      "purchase.pending.granted-later",
      "purchase-response.credits-remaining.balance",
      "purchase-response.next-action.requires-action",
    );
    const { mock, call } = manualServer();
    const first = await call.purchase(order(token));
    expect(first.body).toMatchObject({ status, credits_added: 0, credits_remaining: 1_000 });
    expect(first.body.next_action === null).toBe(status === "processing");
    for (let time = 0; time < 3; time += 1) {
      const notified = await notify(mock, { id: first.body.payment_intent_id });
      expect(notified.status).toBe(200);
    }
    expect(await balanceOf(mock)).toBe(1_100);
    expect((await call.purchase(order(token))).body).toMatchObject({
      payment_intent_id: first.body.payment_intent_id,
      status: "succeeded",
      credits_added: 100,
      credits_remaining: 1_100,
      next_action: null,
    });
  });

  test("that succeeded at once adds no credits again", async () => {
    covers("purchase.repeat.idempotent");
    const { mock, call } = manualServer();
    const { body } = await call.purchase(order("spt_one"));
    await notify(mock, { id: body.payment_intent_id });
    await mock.settlePayment(body.payment_intent_id);
    expect(await balanceOf(mock)).toBe(1_100);
  });
});

describe("a notification of the payment processor", () => {
  test.each([
    ["another secret", { secret: "whsec_other" }],
    ["a time before the tolerance", { ageSeconds: 301 }],
    ["a time after the tolerance", { ageSeconds: -301 }],
    ["an invalid time", { time: "soon" }],
    ["an empty header", { header: "" }],
    ["no time", { header: "v1=00" }],
    ["a changed body", { sent: '{"type":"payment_intent.succeeded" }' }],
  ])("with %s gets a 400 and changes nothing", async (_case, difference) => {
    covers("payments.notification.form");
    const { mock, id } = await pending();
    const refused = await notify(mock, { id, ...difference });
    expect(refused.status).toBe(400);
    expect(refused.detail).toContain("Stripe-Signature");
    expect(await balanceOf(mock)).toBe(1_000);
  });

  test.each([{ ageSeconds: 300 }, { ageSeconds: -300 }, { otherSignature: "00".repeat(32) }])(
    "is valid with %j",
    async (difference) => {
      const { mock, id } = await pending();
      expect((await notify(mock, { id, ...difference })).status).toBe(200);
      expect(await balanceOf(mock)).toBe(1_100);
    },
  );

  test("is signed over its bytes, not over its decoded text", async () => {
    const { mock, id } = await pending();
    const bytes = (filler: number): Uint8Array =>
      Buffer.concat([
        Buffer.from(`{"type":"payment_intent.succeeded","data":{"object":{"id":"${id}","note":"`),
        Buffer.from([filler]),
        Buffer.from('"}}}'),
      ]);
    const replaced = Buffer.from(new TextDecoder().decode(bytes(0xff)));
    const refused = await notify(mock, { signed: replaced, sent: bytes(0xff) });
    expect(refused.status).toBe(400);
    expect(await balanceOf(mock)).toBe(1_000);
  });

  test("of another type, or for an unknown payment, changes nothing", async () => {
    const { mock, id } = await pending();
    expect((await notify(mock, { id, type: "payment_intent.created" })).status).toBe(200);
    expect((await notify(mock, { id: "pi_unknown" })).status).toBe(200);
    expect(await balanceOf(mock)).toBe(1_000);
  });

  test.each(["[]", "null", "{}", "text"])("with the body %s gets a 400", async (text) => {
    const { mock } = await pending();
    const refused = await notify(mock, { signed: Buffer.from(text), sent: Buffer.from(text) });
    expect(refused.status).toBe(400);
  });
});

test("settlePayment can cancel a payment, and requires a known one and a status", async () => {
  const { mock, id, call } = await pending();
  await mock.settlePayment(id, "canceled");
  expect((await call.purchase(order("spt_processing_1"))).body.status).toBe("canceled");
  expect(await balanceOf(mock)).toBe(1_000);
  await expect(mock.settlePayment("pi_none")).rejects.toThrow(TypeError);
  await expect(mock.settlePayment("pi_none", "")).rejects.toThrow(/^status must be a text/);
});
