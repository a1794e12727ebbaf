import { describe, expect, it } from "vitest";

import { isTryOnError, packs, type PurchaseWithSPTRequest } from "../index.ts";
import {
  respondWith,
  createService,
  cut,
  failure,
  input,
  noResponse,
  type TestService,
} from "../../test/service.ts";

const order = (
  kind: string,
  pack: PurchaseWithSPTRequest["pack_slug"] = "demo",
): PurchaseWithSPTRequest => ({
  pack_slug: pack,
  shared_payment_granted_token: `spt_${kind}_1`,
});
const purchases = ({ sent }: TestService) => sent.filter(({ path }) => path.endsWith("/purchase"));

describe("a purchase", () => {
  it("pays once after a connection reset", async () => {
    const { run, tryon, mock, faults } = createService();
    faults.push(cut.before);
    expect(await run(tryon.credits.purchase(order("one")))).toMatchObject({
      status: "succeeded",
      credits_added: 100,
      credits_remaining: 1_100,
    });
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_100);
  });

  it("changes no 402 that the service keeps under a key, and the next run has a new key", async () => {
    const server = { options: { refusedKey: "kept" } } as const;
    const { run, error, tryon } = createService(server, { apiKey: "svc_live_empty" });
    const own = { idempotencyKey: "order-17" };
    const refused = { code: "insufficient_credits" };
    for (const options of [{}, own]) {
      expect(await error(tryon.run(input, options))).toMatchObject(refused);
    }
    await run(tryon.credits.purchase(order("one")));
    expect(await error(tryon.run(input, own))).toMatchObject(refused);
    expect((await run(tryon.run(input))).job.status).toBe("succeeded");
  });

  it("distinguishes a declined payment from a token that has paid before", async () => {
    const { error, run, tryon, sent } = createService();
    const declined = await error(tryon.credits.purchase(order("declined")));
    expect(declined).toMatchObject({ code: "payment_failed", status: 402 });
    expect(sent).toHaveLength(1);
    expect(await run(tryon.credits.waitForPurchase(order("declined")))).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("declined"),
    });
    await run(tryon.credits.purchase(order("two")));
    expect(await error(tryon.credits.purchase(order("two", "pro")))).toMatchObject({
      code: "purchase_already_processed",
      balance: 1_100,
    });
  });

  it.each([
    ["processing", "succeeded", { creditsAdded: 100, balance: 1_080 }],
    ["requires_action", "succeeded", { creditsAdded: 100, balance: 1_080 }],
    ["processing", "canceled", { reason: "canceled", balance: 980 }],
  ])("that is %s and then %s has that outcome, if the service repeats it", async (...row) => {
    const [kind, status, outcome] = row;
    const service = createService();
    const { run, tryon, mock } = service;
    const purchase = await run(tryon.credits.purchase(order(kind)));
    expect(purchase).toMatchObject({ status: kind, credits_added: 0, credits_remaining: 1_000 });
    await run(tryon.run({ ...input, output_size: "4K" }));
    const settled = tryon.credits.waitForPurchase(purchase);
    await mock.clock.advance("30s");
    await mock.settlePayment(purchase.payment_intent_id, status);
    expect(await run(settled)).toMatchObject(
      mock.options.purchaseRepeat === "replay"
        ? { status, ...outcome }
        : { status: "unknown", lastStatus: kind, balance: 980 },
    );
    expect(new Set(purchases(service).map(({ body }) => body)).size).toBe(1);
  });

  it("whose response is lost never has failed", async () => {
    const { run, tryon, mock, faults } = createService();
    const repeats = mock.options.purchaseRepeat === "replay";
    faults.push(cut.after);
    const bought = tryon.credits.purchase(order("fine")).catch((error: unknown) => error);
    expect(await run(bought)).toMatchObject(
      repeats
        ? { status: "succeeded", credits_remaining: 1_100 }
        : { code: "purchase_already_processed", balance: 1_100 },
    );
    expect(await run(tryon.credits.waitForPurchase(order("fine")))).toMatchObject({
      status: repeats ? "succeeded" : "unknown",
      balance: 1_100,
    });
  });

  it("with a test key succeeds at once, and adds nothing", async () => {
    const { run, client, mock } = createService();
    const tryon = client({ apiKey: mock.keys.test });
    const purchase = await run(tryon.credits.purchase(order("processing")));
    const outcome = await run(tryon.credits.waitForPurchase(purchase));
    expect(outcome).toMatchObject({ status: "succeeded", balance: 0 });
  });
});

describe("waitForPurchase", () => {
  const replay = { options: { purchaseRepeat: "replay" } } as const;

  it.each([false, true])("rejects with the caller's reason (an error: %s)", async (isError) => {
    const { run, error, tryon, mock } = createService(replay);
    const purchase = await run(tryon.credits.purchase(order("processing")));
    const controller = new AbortController();
    const declined = await error(tryon.credits.purchase(order("declined")));
    const reason = isError ? declined : { why: "enough" };
    const { signal } = controller;
    const outcome = failure(tryon.credits.waitForPurchase(purchase, { signal }));
    await mock.clock.advance("7s");
    controller.abort(reason);
    expect(await outcome).toBe(reason);
  });

  it("returns unknown with the last status and the next step when the time is up", async () => {
    const { run, tryon, mock, faults } = createService(replay);
    const purchase = await run(tryon.credits.purchase(order("processing")));
    const startedAt = mock.clock.now();
    expect(await run(tryon.credits.waitForPurchase(purchase))).toMatchObject({
      status: "unknown",
      lastStatus: "processing",
      balance: 1_000,
      hint: expect.stringContaining("waitForPurchase again"),
    });
    expect((mock.clock.now() - startedAt) / 1_000).toBeCloseTo(120, 0);
    faults.push(noResponse.before);
    const again = tryon.credits.waitForPurchase(order("other"), { timeout: "5s" });
    const unknown = { status: "unknown", lastStatus: undefined, balance: undefined };
    expect(await run(again)).toMatchObject(unknown);
  });

  it.each(["succeeded", "canceled"])(
    "reports the balance of a payment that has %s, and concludes nothing from it, after a 409",
    async (status) => {
      const service = createService({ options: { purchaseRepeat: 409 } });
      const { run, tryon, mock } = service;
      const purchase = await run(tryon.credits.purchase(order("processing")));
      await mock.settlePayment(purchase.payment_intent_id, status);
      expect(await run(tryon.credits.waitForPurchase(purchase))).toEqual({
        status: "unknown",
        lastStatus: "processing",
        balance: status === "succeeded" ? 1_100 : 1_000,
        hint: expect.stringContaining("Compare `balance`"),
        purchase,
      });
      expect(purchases(service)).toHaveLength(2);
    },
  );

  it("repeats the purchase after delays from 1 s to 10 s", async () => {
    const service = createService(replay);
    const { run, tryon, mock, sent } = service;
    const startedAt = mock.clock.now();
    await run(tryon.credits.waitForPurchase(order("processing"), { timeout: "60s" }));
    const seconds = sent.map(({ at }) => Math.floor((at - startedAt) / 100) / 10);
    expect(seconds).toEqual([0, 1, 3, 7, 15, 25, 35, 45, 55]);
  });

  it.each([
    ["succeeded", { status: "succeeded", creditsAdded: 100 }],
    ["canceled", { status: "canceled", reason: "canceled" }],
    ["failed", { status: "failed", reason: "failed" }],
    ["processing", undefined],
    ["not_canceled", undefined],
    ["canceled_later", undefined],
    ["not_failed", undefined],
    ["failed_once", undefined],
  ])("takes the status %s for %j, without a request", async (status, outcome) => {
    const { run, tryon, faults, sent } = createService();
    const fields = { pack_slug: "demo", payment_intent_id: "pi_1", status };
    faults.push(respondWith(200, { ...fields, credits_added: 100, credits_remaining: 900 }));
    const purchase = await run(tryon.credits.purchase(order("x")));
    const end = await run(tryon.credits.waitForPurchase(purchase, { timeout: 1 }));
    const unknown = { status: "unknown", lastStatus: status, hint: expect.any(String) };
    expect(end).toEqual({ ...(outcome ?? unknown), balance: 900, purchase });
    expect(sent).toHaveLength(1);
  });

  it("continues after transient errors, and throws others", async () => {
    const { run, error, tryon, mock, faults } = createService(replay);
    const purchase = await run(tryon.credits.purchase(order("processing")));
    const down = respondWith(503, { detail: "down" });
    faults.push(down, down, down, down, down, noResponse.before, respondWith(200, "<h1>Hi</h1>"));
    const outcome = tryon.credits.waitForPurchase(purchase, { timeout: "10m" });
    await mock.settlePayment(purchase.payment_intent_id);
    expect(await run(outcome)).toMatchObject({ status: "succeeded", balance: 1_100 });
    const other = await run(tryon.credits.purchase(order("processing_2")));
    faults.push(respondWith(401, { detail: "no" }));
    const rejection = await error(tryon.credits.waitForPurchase(other));
    expect(rejection).toMatchObject({ code: "unauthorized" });
  });

  it("rejects a purchase of another client", async () => {
    const { run, error, tryon, client } = createService();
    const purchase = await run(tryon.credits.purchase(order("processing")));
    const rejection = await error(client().credits.waitForPurchase(purchase));
    expect(isTryOnError(rejection, "invalid_input")).toBe(true);
    expect(String(rejection)).toMatch(
      /purchase was not made by this client.*shared_payment_granted_token/,
    );
  });
});

it("throws purchase_already_processed without a balance if the account cannot be read", async () => {
  const { error, client, faults } = createService();
  faults.push(respondWith(409, { detail: "already processed" }), cut.before);
  const rejection = await error(client({ retries: 0 }).credits.purchase(order("x")));
  expect(rejection).toMatchObject({ code: "purchase_already_processed" });
  expect("balance" in Object(rejection)).toBe(false);
});

it("rejects with the caller's reason while the balance is read", async () => {
  const { error, tryon, faults } = createService();
  const controller = new AbortController();
  const reason = { why: "enough" };
  faults.push(respondWith(409, { detail: "already processed" }), async () => {
    controller.abort(reason);
    return Response.json({});
  });
  const { signal } = controller;
  expect(await error(tryon.credits.purchase(order("x"), { signal }))).toBe(reason);
});

it("packs have the prices of the document", () => {
  expect(Object.entries(packs).map(([slug, { usd, credits }]) => [slug, usd, credits])).toEqual([
    ["demo", 2, 100],
    ["starter", 25, 1_200],
    ["pro", 99, 5_600],
    ["scale", 499, 32_000],
    ["enterprise", 999, 72_000],
  ]);
});
