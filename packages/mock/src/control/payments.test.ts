import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller } from "../../test/caller.ts";

const order = { pack_slug: "demo", shared_payment_granted_token: "spt_processing_1" };

describe("settlePayment", () => {
  test("adds the credits, once", async () => {
    const mock = createMock({ clock: "manual" });
    const call = caller(mock);
    const { body } = await call.purchase(order);
    expect(body).toMatchObject({ status: "processing", credits_added: 0 });
    await mock.settlePayment(body.payment_intent_id);
    await mock.settlePayment(body.payment_intent_id, "succeeded");
    expect((await call.account()).body.credits_remaining).toBe(1_100);
    expect((await call.purchase(order)).body).toMatchObject({
      status: "succeeded",
      credits_added: 100,
    });
  });

  test("adds no credits to a canceled payment", async () => {
    const mock = createMock({ clock: "manual" });
    const call = caller(mock);
    const { body } = await call.purchase(order);
    await mock.settlePayment(body.payment_intent_id, "canceled");
    expect((await call.purchase(order)).body).toMatchObject({ status: "canceled" });
    expect((await call.account()).body.credits_remaining).toBe(1_000);
  });

  test("requires a known payment and a status", async () => {
    const mock = createMock({ clock: "manual" });
    await expect(mock.settlePayment("pi_none")).rejects.toThrow(RangeError);
    await expect(mock.settlePayment("pi_none")).rejects.toThrow('"pi_none"');
    await expect(mock.settlePayment("pi_none", "")).rejects.toThrow(/^status has to be a text/);
  });
});
