import { describe, expect, it } from "vitest";

import { respondWith, createService, cut, profiles } from "../../test/service.ts";

describe.each(profiles)("money under the profile %s", (profile) => {
  it("shows the account of the key", async () => {
    const { run, tryon } = createService({ profile });
    expect(await run(tryon.account.get())).toMatchObject({
      credits_remaining: 1_000,
      tryon_cost_credits: { "1K": 8 },
    });
  });

  it("buys a pack once, whatever happens on the way", async () => {
    const { run, tryon, mock, faults } = createService({ profile });
    faults.push(cut.before);
    const purchase = await run(
      tryon.credits.purchase({ pack_slug: "demo", shared_payment_granted_token: "spt_one" }),
    );
    expect(purchase).toMatchObject({
      status: "succeeded",
      credits_added: 100,
      credits_remaining: 1_100,
    });
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_100);
  });

  it("tells a declined payment from one that went through before", async () => {
    const { error, run, tryon } = createService({ profile });
    expect(
      await error(
        tryon.credits.purchase({
          pack_slug: "demo",
          shared_payment_granted_token: "spt_declined_1",
        }),
      ),
    ).toMatchObject({ code: "payment_failed", status: 402 });
    await run(
      tryon.credits.purchase({ pack_slug: "demo", shared_payment_granted_token: "spt_two" }),
    );
    expect(
      await error(
        tryon.credits.purchase({ pack_slug: "pro", shared_payment_granted_token: "spt_two" }),
      ),
    ).toMatchObject({ code: "purchase_already_processed", balance: 1_100 });
  });
});

describe("keys", () => {
  it.each([
    ["disabled", "forbidden", 403],
    ["flagged", "forbidden", 403],
    ["empty", "insufficient_credits", 402],
  ] as const)("that are %s give %s", async (name, code, status) => {
    const { error, client, mock } = createService();
    const tryon = client({ apiKey: mock.keys[name] });
    expect(
      await error(
        tryon.submit({
          person_url: "https://a.example/a.jpg",
          garment_urls: ["https://a.example/b.jpg"],
        }),
      ),
    ).toMatchObject({ code, status });
  });

  it("that are unknown give unauthorized, also for what it says about purchases", async () => {
    const { error, client, tryon, faults } = createService();
    expect(await error(client({ apiKey: "svc_test_unknown" }).account.get())).toMatchObject({
      code: "unauthorized",
    });
    faults.push(
      respondWith(409, { detail: "already processed" }),
      cut.before,
      cut.before,
      cut.before,
      cut.before,
    );
    const refused = await error(
      tryon.credits.purchase({ pack_slug: "demo", shared_payment_granted_token: "spt_x" }),
    );
    expect(refused).toMatchObject({ code: "purchase_already_processed" });
    expect("balance" in Object(refused)).toBe(false);
  });
});
