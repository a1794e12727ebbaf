import { describe, expect, it } from "vitest";

import { Budget, isTryOnError, type TryOn, type TryOnError } from "../index.ts";
import {
  respondWith,
  createService,
  cut,
  input,
  profiles,
  noResponse,
  type TestService,
} from "../../test/service.ts";

/** What the ledger of the key says was charged and not given back. */
async function charged({ mock }: TestService): Promise<number> {
  return 1_000 - ((await mock.ledger(mock.keys.live))?.balance ?? 0);
}

const failing = { ...input, prompt: "mock:model_rejected" };
const buy = (tryon: TryOn, token: string) =>
  tryon.credits.purchase({ pack_slug: "demo", shared_payment_granted_token: token });
const accounts = ({ sent }: TestService): number =>
  sent.filter(({ path }) => path.endsWith("/account")).length;

function code(error: unknown): TryOnError {
  if (isTryOnError(error)) return error;
  throw error;
}

describe.each(profiles)("a budget under the profile %s", (profile) => {
  it("refuses before sending what does not fit, and says why", async () => {
    const budget = new Budget({ maxCredits: 20 });
    const service = createService({ profile });
    const { run, error, client, submissions } = service;
    const tryon = client({ budget });
    await run(tryon.run({ ...input, output_size: "2K" }));
    expect(budget.toJSON()).toEqual({ maxCredits: 20, spent: 12, reserved: 0, left: 8 });
    const before = submissions().length;
    const refused = await error(tryon.run({ ...input, size: "2k" } as typeof input));
    expect(refused).toMatchObject({
      code: "budget_exceeded",
      cost: 12,
      spent: 12,
      reserved: 0,
      maxCredits: 20,
      attempts: [],
      hint: expect.stringContaining("raise maxCredits"),
    });
    expect(String(refused)).toContain("20 credits does not hold another 12");
    expect(submissions()).toHaveLength(before);
    await run(tryon.run(input));
    expect(budget.left).toBe(0);
    expect(await charged(service)).toBe(20);
  });
});

describe("a budget", () => {
  it("counts what is in flight", async () => {
    const budget = new Budget({ maxCredits: 20 });
    const service = createService();
    const tryon = service.client({ budget });
    const calls = Array.from({ length: 5 }, () => tryon.run(input).catch(code));
    const ended = await service.run(Promise.all(calls));
    const refused = ended.filter((one) => isTryOnError(one, "budget_exceeded"));
    expect(refused).toHaveLength(3);
    expect(refused[0]).toMatchObject({ spent: 0, reserved: 16 });
    expect(await charged(service)).toBe(16);
    expect(budget).toMatchObject({ spent: 16, reserved: 0, left: 4 });
  });

  it("holds beside that of the client, for the call that is given it", async () => {
    const own = new Budget({ maxCredits: 100 });
    const shared = new Budget({ maxCredits: 10 });
    const { run, error, client } = createService();
    const tryon = client({ budget: own });
    await run(tryon.run(input, { budget: shared }));
    expect(await error(tryon.submit(input, { budget: shared }))).toMatchObject({ maxCredits: 10 });
    await run(tryon.submit(input));
    expect(await error(tryon.submit(input, { budget: { maxCredits: 7 } }))).toMatchObject({
      code: "budget_exceeded",
      maxCredits: 7,
      cost: 8,
    });
    expect([own.left, shared.left]).toEqual([84, 2]);
  });

  it("gives back what was proved not to have happened", async () => {
    const budget = new Budget({ maxCredits: 8 });
    const { run, error, client, faults } = createService({}, {});
    const tryon = client({ budget, retries: 0 });
    // The account is asked for before the first submission.
    faults.push(undefined);
    const refusals = [
      respondWith(402, { detail: "no" }),
      respondWith(422, { detail: [] }),
      cut.refused,
    ];
    for (const refusal of refusals) {
      faults.push(refusal);
      await error(tryon.submit(input));
      expect(budget).toMatchObject({ spent: 0, reserved: 0, left: 8 });
    }
    await run(tryon.submit(input));
  });

  it("keeps what may have happened until recover() knows", async () => {
    const budget = new Budget({ maxCredits: 20 });
    const service = createService();
    const { run, error, client, faults } = service;
    const tryon = client({ budget, retries: 0 });
    faults.push(undefined, cut.after);
    const unknown = await error(tryon.submit(input));
    if (!isTryOnError(unknown, "outcome_unknown")) throw unknown;
    expect(budget).toMatchObject({ spent: 0, reserved: 8 });
    const job = await run(unknown.recover());
    await run(unknown.recover());
    await run(job.result());
    expect(budget).toMatchObject({ spent: 8, reserved: 0 });
    expect(await charged(service)).toBe(8);
  });

  it("keeps the charge that one recover() found when a concurrent one gets no response", async () => {
    const budget = new Budget({ maxCredits: 20 });
    const { run, error, client, faults, mock } = createService({
      options: { sparseSubmit: false },
    });
    faults.push(undefined, cut.after);
    const unknown = await error(client({ budget, retries: 0 }).submit(input));
    if (!isTryOnError(unknown, "outcome_unknown")) throw unknown;
    faults.push(undefined, async (_request, pass) => {
      await pass();
      await new Promise<void>((resolve) => mock.clock.setTimeout(resolve, 1_000));
      throw new TypeError("fetch failed");
    });
    const ends = await run(Promise.allSettled([unknown.recover(), unknown.recover()]));
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(budget.toJSON()).toMatchObject({ spent: 8, reserved: 0 });
  });

  it("keeps what a call may have sent that was aborted", async () => {
    const budget = new Budget({ maxCredits: 20 });
    const { client, faults, mock, sent } = createService();
    faults.push(undefined, noResponse.after);
    const controller = new AbortController();
    const work = client({ budget })
      .submit(input, { signal: controller.signal })
      .catch(() => 0);
    while (sent.length < 2) await mock.clock.advance(1);
    controller.abort();
    await work;
    expect(budget).toMatchObject({ spent: 0, reserved: 8 });
  });

  it.each(["failed", "failed-except-content-blocked"] as const)(
    "gets back what the balance shows to have been refunded (%s), and asks once",
    async (refund) => {
      const budget = new Budget({ maxCredits: 16 });
      const service = createService({ options: { refund } });
      const { run, error, client } = service;
      const tryon = client({ budget });
      await error(tryon.run(failing));
      expect(budget.spent).toBe(8);
      await run(tryon.run(input));
      expect(accounts(service)).toBe(1);
      await run(tryon.run(input));
      expect(accounts(service)).toBe(2);
      expect(budget).toMatchObject({ spent: 16, reserved: 0 });
      expect(await error(tryon.run(input))).toMatchObject({ code: "budget_exceeded" });
      expect(accounts(service)).toBe(2);
      expect(await charged(service)).toBe(16);
    },
  );

  it("gets nothing back where nothing was refunded", async () => {
    const budget = new Budget({ maxCredits: 16 });
    const service = createService({ options: { refund: "none" } });
    const { error, client } = service;
    const tryon = client({ budget });
    await error(tryon.run(failing));
    await error(tryon.run(failing));
    const refused = { code: "budget_exceeded", spent: 16 };
    expect(await error(tryon.run(input))).toMatchObject(refused);
    expect(await error(tryon.run(input))).toMatchObject(refused);
    expect(accounts(service)).toBe(2);
  });
});

describe("what a budget counts", () => {
  it("is no more because of a look at the balance while something is in flight", async () => {
    const budget = new Budget({ maxCredits: 16 });
    const service = createService({ options: { refund: "none" } });
    const { run, error, client, faults } = service;
    const tryon = client({ budget });
    await error(tryon.run(failing));
    faults.push({ latency: "20s" });
    const slow = tryon.submit(input);
    expect(await error(tryon.submit(input))).toMatchObject({ spent: 8, reserved: 8 });
    await run(slow);
    expect(await error(tryon.submit(input))).toMatchObject({ code: "budget_exceeded" });
    expect(await charged(service)).toBe(16);
  });

  it("gets back later what was in flight and hid a refund", async () => {
    const budget = new Budget({ maxCredits: 16 });
    const service = createService({ options: { refund: "failed" } });
    const { run, error, client, mock } = service;
    const tryon = client({ budget });
    await error(tryon.run(failing));
    const slow = tryon.run({ ...input, prompt: "mock:slow=20000" }, { sync: true });
    await mock.clock.advance("1s");
    expect(await error(tryon.submit(input))).toMatchObject({ spent: 8, reserved: 8 });
    await run(slow);
    await run(tryon.run(input));
    expect(budget.spent).toBe(16);
    expect(await charged(service)).toBe(16);
  });

  it.each([true, false])(
    "is one charge for one key, replayed or not (header %s)",
    async (replayHeader) => {
      const budget = new Budget({ maxCredits: 100 });
      const service = createService({ options: { replayHeader, concurrentTwin: "join" } });
      const { run, client } = service;
      const tryon = client({ budget });
      const own = { idempotencyKey: "order-17" };
      await run(Promise.all([tryon.run(input, own), tryon.run(input, own)]));
      await run(tryon.run(input, own));
      expect(budget).toMatchObject({ spent: 8, reserved: 0 });
      const again = new Budget({ maxCredits: 100 });
      await run(client({ budget: again }).run(input, own));
      expect(again.spent).toBe(replayHeader ? 0 : 8);
      expect(await charged(service)).toBe(8);
    },
  );

  it("is one charge for a key that is used again after its outcome was unknown", async () => {
    const budget = new Budget({ maxCredits: 100 });
    const { run, error, client, faults } = createService();
    const tryon = client({ budget, retries: 0 });
    const own = { idempotencyKey: "order-17" };
    faults.push(undefined, cut.after);
    const unknown = await error(tryon.run(input, own));
    await run(tryon.run(input, own));
    expect(budget).toMatchObject({ spent: 8, reserved: 0 });
    if (!isTryOnError(unknown, "outcome_unknown")) throw unknown;
    await run(unknown.recover());
    expect(budget).toMatchObject({ spent: 8, reserved: 0 });
  });

  it("is nothing for a test key, which pays nothing", async () => {
    const budget = new Budget({ maxCredits: 8 });
    const { run, client, mock, faults } = createService();
    const tryon = client({ apiKey: mock.keys.test, budget });
    faults.push(undefined, { latency: "5s" });
    const slow = tryon.run(input);
    await mock.clock.advance("2s");
    expect(budget).toMatchObject({ spent: 0, reserved: 8, left: 0 });
    await run(slow);
    expect(budget).toMatchObject({ spent: 0, reserved: 0, left: 8 });
    await run(tryon.submit({ ...input, prompt: "mock:model_rejected" }));
    expect(budget.left).toBe(8);
  });

  it("is reserved as long as the service does not tell the cost, and spent once it does, to whoever asks", async () => {
    const budget = new Budget({ maxCredits: 100 });
    const { run, client, faults } = createService({ options: { sparseSubmit: true } });
    const tryon = client({ budget });
    const job = await run(tryon.submit(input));
    expect(budget).toMatchObject({ spent: 0, reserved: 8 });
    faults.push(respondWith(200, { job_id: job.id, status: "running", cost_credits: 11 }));
    await run(tryon.jobs.get(job.id));
    expect(budget).toMatchObject({ spent: 11, reserved: 0 });
  });

  it("has the account's prices, or the document's where the account cannot be asked", async () => {
    const { error, run, client, faults } = createService();
    const account = { credits_remaining: 1_000, tryon_cost_credits: { "1K": 30 } };
    faults.push(respondWith(200, account));
    const dear = await error(client({ budget: { maxCredits: 29 } }).submit(input));
    expect(dear).toMatchObject({ code: "budget_exceeded", cost: 30 });
    faults.push(respondWith(403, { detail: "closed" }));
    await run(client({ budget: { maxCredits: 8 } }).submit(input));
  });

  it("is the highest price for a size that has none", async () => {
    const { error, client } = createService();
    const tryon = client({ budget: { maxCredits: 19 }, validate: false });
    // What types forbid comes from programs without types.
    const refused = await error(tryon.submit({ ...input, output_size: "8K" as never }));
    expect(refused).toMatchObject({ code: "budget_exceeded", cost: 20 });
  });

  it("does not take bought credits for refunds", async () => {
    const service = createService({ options: { refund: "none", purchaseRepeat: "replay" } });
    const { error, run, client } = service;
    const tryon = client({ budget: { maxCredits: 16 } });
    await error(tryon.run(failing));
    await run(buy(tryon, "spt_fine"));
    const late = await run(buy(tryon, "spt_processing_1"));
    await error(tryon.run(failing));
    expect(await error(tryon.run(input))).toMatchObject({ spent: 16 });
    await service.mock.settlePayment(late.payment_intent_id);
    await run(tryon.credits.waitForPurchase(late));
    expect(await error(tryon.run(input))).toMatchObject({ spent: 16 });
    expect(accounts(service)).toBe(3);
  });

  it("gives back less, never more, when others spend under the same key", async () => {
    const budget = new Budget({ maxCredits: 16 });
    const { error, run, client } = createService({ options: { refund: "failed" } });
    const tryon = client({ budget });
    await error(tryon.run(failing));
    await error(tryon.run(failing));
    await run(client().run(input));
    await run(tryon.run(input));
    expect(budget).toMatchObject({ spent: 16, left: 0 });
  });

  it("gives a budget only what cannot have come back to another", async () => {
    const { error, client } = createService({
      options: { refund: "failed-except-content-blocked" },
    });
    const tryon = client();
    const [kept, refunded] = [new Budget({ maxCredits: 8 }), new Budget({ maxCredits: 8 })];
    await error(tryon.run({ ...input, prompt: "mock:content_blocked" }, { budget: kept }));
    await error(tryon.run(failing, { budget: refunded }));
    expect(await error(tryon.run(input, { budget: kept }))).toMatchObject({ spent: 8 });
  });

  it("settles by the balance what has been unknown for too long to arrive any more", async () => {
    const budget = new Budget({ maxCredits: 16 });
    const service = createService({ options: { refund: "none" } });
    const { error, run, client, faults, mock } = service;
    const tryon = client({ budget, retries: 0 });
    faults.push(undefined, cut.before, cut.after);
    const lost = await error(tryon.submit(input));
    const made = await error(tryon.submit(input));
    expect(await error(tryon.submit(input))).toMatchObject({ spent: 0, reserved: 16 });
    await mock.clock.advance("11m");
    await run(tryon.run(input));
    expect(budget).toMatchObject({ spent: 16, reserved: 0 });
    for (const unknown of [lost, made]) {
      if (!isTryOnError(unknown, "outcome_unknown")) throw unknown;
      const refused = await error(unknown.recover());
      expect(refused).toMatchObject({ code: "budget_exceeded" });
      // One of the two was made, and whoever reads this must not make it anew.
      expect(String(refused)).toMatch(/not sent again.*may have been made.*recover\(\)/);
    }
    expect(await charged(service)).toBe(16);
  });

  it("frees what a taken key refused, and counts it when recover() makes it", async () => {
    const budget = new Budget({ maxCredits: 8 });
    const { error, run, client, faults } = createService();
    const tryon = client({ budget });
    faults.push(undefined, respondWith(409, { detail: "taken" }));
    const conflict = await error(tryon.submit(input));
    expect(budget.left).toBe(8);
    if (!isTryOnError(conflict, "idempotency_conflict") || !conflict.recover) throw conflict;
    await run(conflict.recover());
    expect(budget.left).toBe(0);
  });
});

describe("the look at the account before a first try-on", () => {
  it("holds nothing when it is aborted, and is no answer to the call", async () => {
    const budget = new Budget({ maxCredits: 8 });
    const { run, client, faults, submissions } = createService();
    const tryon = client({ budget });
    faults.push({ latency: "5s" });
    const reason = { why: "enough" };
    const controller = new AbortController();
    const first = tryon.run(input, { signal: controller.signal }).catch((error: unknown) => error);
    const second = tryon.submit(input).withResponse();
    controller.abort(reason);
    expect(await run(first)).toBe(reason);
    const { data, response } = await run(second);
    expect(response.url === "" || response.url.endsWith("/tryon")).toBe(true);
    expect(data.idempotencyKey).toBe(submissions()[0]?.headers.get("idempotency-key"));
    expect(submissions()).toHaveLength(1);
  });

  it("ends with the time of the call, and nothing sent", async () => {
    const { error, client, faults, submissions } = createService();
    faults.push(noResponse.before);
    const tryon = client({ budget: { maxCredits: 8 } });
    expect(await error(tryon.submit(input, { timeout: "3s" }))).toMatchObject({
      code: "timed_out",
      hint: expect.stringContaining("Nothing was sent"),
    });
    expect(submissions()).toHaveLength(0);
  });
});

it.each([-1, Number.NaN, "5", undefined])("a budget of %s credits is refused", async (wrong) => {
  // What types forbid comes from programs without types.
  const limit = { maxCredits: wrong as number };
  expect(() => new Budget(limit)).toThrow("budget.maxCredits is not a number from 0 up");
  const { error, client, sent } = createService();
  const refused = { code: "invalid_input" };
  expect(await error(client({ budget: limit }).submit(input))).toMatchObject(refused);
  expect(await error(client().submit(input, { budget: limit }))).toMatchObject(refused);
  expect(await error(client().submit(input, { budget: 500 as never }))).toMatchObject(refused);
  expect(sent).toHaveLength(0);
});
