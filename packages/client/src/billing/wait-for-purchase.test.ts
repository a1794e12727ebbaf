import { describe, expect, it } from "vitest";

import { isTryOnError, type PurchaseWithSPTRequest } from "../index.ts";
import {
  respondWith,
  createService,
  cut,
  input,
  profiles,
  noResponse,
  type TestService,
} from "../../test/service.ts";

const order = (kind: string, pack: PurchaseWithSPTRequest["pack_slug"] = "demo") => ({
  pack_slug: pack,
  shared_payment_granted_token: `spt_${kind}_1`,
});
const purchases = ({ sent }: TestService) => sent.filter(({ path }) => path.endsWith("/purchase"));

describe.each(profiles)("a purchase under the profile %s", (profile) => {
  it("that has succeeded is settled without a request", async () => {
    const service = createService({ profile });
    const { run, tryon, sent } = service;
    const purchase = await run(tryon.credits.purchase(order("fine")));
    const before = sent.length;
    expect(await run(tryon.credits.waitForPurchase(purchase))).toEqual({
      status: "succeeded",
      creditsAdded: 100,
      balance: 1_100,
      purchase,
    });
    expect(sent).toHaveLength(before);
  });

  it.each(["processing", "requires_action"])(
    "that is %s is settled once the payment has gone through, own spending counted in",
    async (kind) => {
      const service = createService({ profile });
      const { run, tryon, mock } = service;
      const purchase = await run(tryon.credits.purchase(order(kind)));
      expect(purchase).toMatchObject({ status: kind, credits_added: 0, credits_remaining: 1_000 });
      await run(tryon.run({ ...input, output_size: "4K" }));
      const settled = tryon.credits.waitForPurchase(purchase);
      await mock.clock.advance("30s");
      await mock.settlePayment(purchase.payment_intent_id);
      expect(await run(settled)).toMatchObject({
        status: "succeeded",
        creditsAdded: 100,
        balance: 1_080,
      });
      expect(purchases(service).every(({ body }) => body === purchases(service)[0]?.body)).toBe(
        true,
      );
    },
  );

  it("that nobody settles is unknown when the time is up", async () => {
    const { run, tryon, mock } = createService({ profile });
    const purchase = await run(tryon.credits.purchase(order("processing")));
    const began = mock.clock.now();
    const settled = await run(tryon.credits.waitForPurchase(purchase));
    expect(settled).toMatchObject({ status: "unknown", lastStatus: "processing", balance: 1_000 });
    expect((mock.clock.now() - began) / 1_000).toBeCloseTo(120, 0);
    expect(await run(tryon.credits.waitForPurchase(purchase, { timeout: "5s" }))).toMatchObject({
      status: "unknown",
    });
  });

  it("that was canceled at once says so", async () => {
    const { run, tryon } = createService({ profile });
    const purchase = await run(tryon.credits.purchase(order("canceled")));
    expect(await run(tryon.credits.waitForPurchase(purchase))).toMatchObject({
      status: "canceled",
      reason: "canceled",
      balance: 1_000,
    });
  });

  it("that is declined has failed", async () => {
    const { run, tryon } = createService({ profile });
    expect(await run(tryon.credits.waitForPurchase(order("declined")))).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("declined"),
    });
  });

  it("whose answer was lost is never said to have failed", async () => {
    const { run, tryon, mock, faults } = createService({ profile });
    const repeats = mock.options.purchaseRepeat === "replay";
    faults.push(cut.after);
    const bought = tryon.credits.purchase(order("fine")).catch((error: unknown) => error);
    expect(await run(bought)).toMatchObject(
      repeats
        ? { status: "succeeded", credits_remaining: 1_100 }
        : { code: "purchase_already_processed", balance: 1_100 },
    );
    const settled = await run(tryon.credits.waitForPurchase(order("fine"), { timeout: "20s" }));
    expect(settled.balance).toBe(1_100);
    expect(settled.status).toBe(repeats ? "succeeded" : "unknown");
  });

  it("with a test key is settled at once, and adds nothing", async () => {
    const { run, client, mock } = createService({ profile });
    const tryon = client({ apiKey: mock.keys.test });
    const purchase = await run(tryon.credits.purchase(order("processing")));
    expect(await run(tryon.credits.waitForPurchase(purchase))).toMatchObject({
      status: "succeeded",
      balance: 0,
    });
  });

  it("rejects with the caller's reason", async () => {
    const { run, tryon, mock } = createService({ profile });
    const purchase = await run(tryon.credits.purchase(order("processing")));
    const controller = new AbortController();
    const reason = { why: "enough" };
    const settled = tryon.credits
      .waitForPurchase(purchase, { signal: controller.signal })
      .catch((one: unknown) => one);
    await mock.clock.advance("7s");
    controller.abort(reason);
    expect(await settled).toBe(reason);
  });
});

describe("settled", () => {
  it("says that a payment was canceled meanwhile where the service repeats purchases", async () => {
    const { run, tryon, mock } = createService({ options: { purchaseRepeat: "replay" } });
    const purchase = await run(tryon.credits.purchase(order("processing")));
    const settled = tryon.credits.waitForPurchase(purchase);
    await mock.clock.advance("3s");
    await mock.settlePayment(purchase.payment_intent_id, "canceled");
    expect(await run(settled)).toMatchObject({ status: "canceled", balance: 1_000 });
  });

  it("cannot know of a cancelation where the service repeats none", async () => {
    const { run, tryon, mock } = createService({ options: { purchaseRepeat: 409 } });
    const purchase = await run(tryon.credits.purchase(order("processing")));
    const settled = tryon.credits.waitForPurchase(purchase);
    await mock.settlePayment(purchase.payment_intent_id, "canceled");
    expect(await run(settled)).toMatchObject({ status: "unknown", lastStatus: "processing" });
  });

  it("asks after pauses that grow from 1 s to 10 s", async () => {
    const service = createService({ options: { purchaseRepeat: "replay" } });
    const purchase = await service.run(service.tryon.credits.purchase(order("processing")));
    await service.run(service.tryon.credits.waitForPurchase(purchase, { timeout: "60s" }));
    const times = purchases(service).map(({ at }) => at);
    const pauses = times.slice(1).map((at, index) => (at - (times[index] ?? 0)) / 1_000);
    expect(pauses[0]).toBeCloseTo(1, 0);
    expect(Math.max(...pauses)).toBeLessThan(12);
    expect(times.length).toBeLessThan(13);
  });

  it("goes on over what may pass, and throws what will not", async () => {
    const { run, error, tryon, mock, faults } = createService({
      options: { purchaseRepeat: "replay" },
    });
    const purchase = await run(tryon.credits.purchase(order("processing")));
    const down = respondWith(503, { detail: "down" });
    faults.push(down, down, down, down, down, noResponse.before, respondWith(200, "<h1>Hi</h1>"));
    const settled = tryon.credits.waitForPurchase(purchase, { timeout: "10m" });
    await mock.settlePayment(purchase.payment_intent_id);
    expect(await run(settled)).toMatchObject({ status: "succeeded", balance: 1_100 });
    const other = await run(tryon.credits.purchase(order("processing_2")));
    faults.push(respondWith(401, { detail: "no" }));
    expect(await error(tryon.credits.waitForPurchase(other))).toMatchObject({
      code: "unauthorized",
    });
  });

  it("is not deceived by refunds where the service repeats no purchase", async () => {
    const { run, error, tryon } = createService({
      options: { purchaseRepeat: 409, refund: "failed" },
    });
    const failing = { ...input, prompt: "mock:storage_failed", output_size: "4K" } as const;
    const jobs = [];
    for (let count = 0; count < 6; count += 1) jobs.push(await run(tryon.submit(failing)));
    const purchase = await run(tryon.credits.purchase(order("processing")));
    for (const job of jobs) await error(job.result());
    // 120 credits came back, more than the pack holds.
    expect(await run(tryon.credits.waitForPurchase(purchase))).toMatchObject({ status: "unknown" });
  });

  it("is not deceived by what another client of the key buys, or has refunded", async () => {
    const { run, tryon, client } = createService({
      options: { purchaseRepeat: 409, refund: "failed" },
    });
    await run(client().submit({ ...input, prompt: "mock:storage_failed" }));
    const purchase = await run(tryon.credits.purchase(order("processing", "pro")));
    await run(client().credits.purchase(order("fine")));
    expect(await run(tryon.credits.waitForPurchase(purchase))).toMatchObject({
      status: "unknown",
      balance: 1_100,
    });
  });

  it("sees the credits also when try-ons were under way as the purchase was heard of", async () => {
    const { run, tryon, mock, faults, sent } = createService({ options: { purchaseRepeat: 409 } });
    // The balance is told, and only then are try-ons taken from it: one that is heard of before, and one after.
    faults.push(async (_request, pass) => {
      const answer = await pass();
      await new Promise<void>((resolve) => {
        mock.clock.setTimeout(resolve, 5_000);
      });
      return answer;
    });
    const bought = tryon.credits.purchase(order("processing"));
    while (sent.length < 1) await mock.clock.advance(1);
    faults.push(undefined, { latency: "20s" });
    const jobs = [tryon.submit(input), tryon.submit(input)];
    const purchase = await run(bought);
    expect(purchase.credits_remaining).toBe(1_000);
    await run(Promise.all(jobs));
    await mock.settlePayment(purchase.payment_intent_id);
    expect(await run(tryon.credits.waitForPurchase(purchase))).toMatchObject({
      status: "succeeded",
      balance: 1_084,
    });
  });

  it("takes no purchase of another client", async () => {
    const { run, error, tryon, client } = createService();
    const purchase = await run(tryon.credits.purchase(order("processing")));
    const refused = await error(client().credits.waitForPurchase(purchase));
    expect(isTryOnError(refused, "invalid_input")).toBe(true);
    expect(String(refused)).toContain("shared_payment_granted_token");
  });
});
