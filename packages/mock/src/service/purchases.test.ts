import { describe, expect, test } from "vitest";

import type { createMock, Mock } from "../mock.ts";
import { caller, manualServer } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";

function setUp(options: Parameters<typeof createMock>[0] = {}) {
  return manualServer({ seed: "purchases", ...options });
}

function order(token = "spt_one", pack = "demo") {
  return { pack_slug: pack, shared_payment_granted_token: token };
}

async function balanceOf(mock: Mock): Promise<number | undefined> {
  return (await mock.ledger(mock.keys.live))?.balance;
}

describe("a purchase", () => {
  test.each([
    ["demo", 100],
    ["starter", 1_200],
    ["pro", 5_600],
    ["scale", 32_000],
    ["enterprise", 72_000],
  ])("of %s adds %i credits at once", async (pack, credits) => {
    covers(
      "purchase.request-and-answer",
      "purchase.succeeded.granted-at-once",
      "purchase-response.payment-intent-id.present",
      "purchase-response.pack-slug.bought",
    );
    const { mock, call } = setUp();
    const { body } = await call.purchase(order("spt_one", pack));
    expect(body).toMatchObject({
      payment_intent_id: expect.stringMatching(/^pi_[a-zA-Z0-9]{24}$/),
      status: "succeeded",
      pack_slug: pack,
      credits_added: credits,
      credits_remaining: 1_000 + credits,
      next_action: null,
    });
    expect((await mock.ledger(mock.keys.live))?.entries.at(-1)).toMatchObject({
      cause: "purchase",
      credits,
      paymentIntentId: body.payment_intent_id,
    });
  });

  test.each([
    ["spt_declined_1", "declined"],
    ["spt_insufficient_funds_1", "insufficient funds"],
  ])("with %s is rejected with 402", async (token, reason) => {
    covers("purchase.402.payment-failed", "purchase.agent.shared-token");
    const { mock, call } = setUp();
    const rejected = await call.purchase(order(token));
    expect(rejected.status).toBe(402);
    expect(rejected.detail).toContain(reason);
    expect(await balanceOf(mock)).toBe(1_000);
  });

  test("with a canceled payment adds no credits", async () => {
    covers("purchase-response.status.open-set");
    const { mock, call } = setUp();
    const { body } = await call.purchase(order("spt_canceled_1"));
    expect(body).toMatchObject({ status: "canceled", credits_added: 0, credits_remaining: 1_000 });
    expect(await balanceOf(mock)).toBe(1_000);
  });

  test.each([
    ["an unknown pack", order("spt_one", "huge"), /pack_slug.*demo, starter/],
    ["a property of objects instead of a pack", order("spt_one", "toString"), /pack_slug/],
    ["an invalid token", order("tok_one"), /shared_payment_granted_token.*spt_/],
  ])("with %s is rejected with 400", async (_what, body, detail) => {
    covers("purchase.400.invalid-pack-or-token");
    const { call } = setUp();
    const rejected = await call.purchase(body);
    expect(rejected.status).toBe(400);
    expect(rejected.detail).toMatch(detail);
  });

  test.each([
    [
      "no fields",
      {},
      [
        ["pack_slug", "missing"],
        ["shared_payment_granted_token", "missing"],
      ],
    ],
    ["a pack that is a number", { ...order(), pack_slug: 1 }, [["pack_slug", "string_type"]]],
    ["3 characters", order("spt"), [["shared_payment_granted_token", "string_too_short"]]],
    [
      "201 characters",
      order(`spt_${"x".repeat(197)}`),
      [["shared_payment_granted_token", "string_too_long"]],
    ],
  ])("with %s is rejected with 422", async (_what, body, expected) => {
    const { call } = setUp();
    const rejected = await call.purchase(body);
    expect(rejected.status).toBe(422);
    expect(rejected.problems.map(({ loc, type }) => [loc.at(-1), type])).toEqual(expected);
  });

  test("of an unknown pack is rejected with 422 with unknownPack 422", async () => {
    covers("purchase.validation.400-or-422", "purchase-request.pack-slug.values");
    const { mock, call } = setUp({ options: { unknownPack: 422 } });
    const rejected = await call.purchase(order("spt_one", "huge"));
    expect(rejected.status).toBe(422);
    expect(rejected.problems).toMatchObject([{ loc: ["body", "pack_slug"], input: "huge" }]);
    expect(rejected.problems[0]?.msg).toContain("'demo'");
    // The option is about packs only.
    expect((await call.purchase(order("tok_one"))).status).toBe(400);
    expect((await call.purchase(order())).status).toBe(200);
    expect(await balanceOf(mock)).toBe(1_100);
  });

  test.each(["spt_", `spt_${"x".repeat(196)}`])(
    "may have a token of the minimum or maximum length",
    async (token) => {
      covers(
        "purchase-request.shared-payment-granted-token.length",
        "purchase-request.shared-payment-granted-token.grant",
      );
      const { call } = setUp();
      expect((await call.purchase(order(token))).status).toBe(200);
    },
  );
});

describe("a repeated token", () => {
  test("repeats the first response for the same key and pack", async () => {
    const { mock, call } = setUp();
    const first = await call.purchase(order());
    const again = await call.purchase(order());
    expect(again.body).toEqual(first.body);
    expect(await balanceOf(mock)).toBe(1_100);
  });

  test("reports no added credits with repeatCredits 0", async () => {
    covers("purchase.repeat.reported-credits", "purchase-response.credits-added.this-call");
    const { mock, call } = setUp({ options: { repeatCredits: 0 } });
    const first = await call.purchase(order());
    const again = await call.purchase(order());
    expect(first.body.credits_added).toBe(100);
    expect(again.body).toEqual({ ...first.body, credits_added: 0 });
    const { body } = await call.purchase(order("spt_processing_1"));
    await mock.settlePayment(body.payment_intent_id);
    const settled = await call.purchase(order("spt_processing_1"));
    expect(settled.body).toMatchObject({ status: "succeeded", credits_added: 0 });
    expect(settled.body.credits_remaining).toBe(1_200);
  });

  test("buys once for concurrent requests", async () => {
    const { mock, call } = setUp();
    const responses = await Promise.all(Array.from({ length: 8 }, () => call.purchase(order())));
    expect(new Set(responses.map(({ body }) => body.payment_intent_id)).size).toBe(1);
    expect(await balanceOf(mock)).toBe(1_100);
  });

  test("is rejected with purchaseRepeat 409", async () => {
    covers("purchase.409.already-processed", "purchase.repeat.answer");
    const { mock, call } = setUp({ options: { purchaseRepeat: 409 } });
    await call.purchase(order());
    expect((await call.purchase(order())).status).toBe(409);
    expect(await balanceOf(mock)).toBe(1_100);
  });

  test("is rejected with another pack or from another key", async () => {
    const { mock, call } = setUp();
    await call.purchase(order());
    expect((await call.purchase(order("spt_one", "pro"))).status).toBe(409);
    expect(mock.journal.entries().at(-1)?.refusal).toEqual({
      rule: "purchase.409.already-processed",
      detail: expect.stringContaining("already processed for this token; read the balance"),
    });
    const other = await mock.createKey();
    expect((await caller(mock, other.token).purchase(order())).status).toBe(409);
    expect(await balanceOf(mock)).toBe(1_100);
  });

  test("is charged again after a declined payment", async () => {
    const { call } = setUp();
    await call.purchase(order("spt_declined_1"));
    expect((await call.purchase(order("spt_declined_1"))).status).toBe(402);
  });
});

describe("a purchase with a test key", () => {
  test("succeeds without the payment processor and adds no credits", async () => {
    covers("purchase.test-key.nothing-granted");
    const { mock } = setUp();
    const call = caller(mock, mock.keys.test);
    const { body } = await call.purchase(order("spt_declined_1"));
    expect(body).toMatchObject({ status: "succeeded", credits_added: 100, credits_remaining: 0 });
    expect(body.payment_intent_id).toMatch(/^pi_test_[a-zA-Z0-9]{24}$/);
    expect((await mock.ledger(mock.keys.test))?.balance).toBe(0);
  });

  test("reports no added credits with testKeyCredits 0", async () => {
    covers("purchase.test-key.reported-credits", "purchase.test-key.fake-success");
    const { mock, call } = setUp({ options: { testKeyCredits: 0 } });
    const { body } = await caller(mock, mock.keys.test).purchase(order());
    expect(body).toMatchObject({ status: "succeeded", credits_added: 0, credits_remaining: 0 });
    expect((await call.purchase(order("spt_two"))).body.credits_added).toBe(100);
  });
});
