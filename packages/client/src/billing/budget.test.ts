import type { MockOptions } from "@tryon/mock";
import { describe, expect, it } from "vitest";

import { Budget, type Recover, type TryOnOptions } from "../index.ts";
import { ClientContexts } from "../jobs/client-context.ts";
import { parts } from "../parts/parts.ts";
import type { Counted } from "../types/budget.ts";
import {
  respondWith,
  createService,
  cut,
  failure,
  input,
  noResponse,
  type Fault,
} from "../../test/service.ts";

const own = { idempotencyKey: "order-17" };
const taken = respondWith(409, { detail: "taken" });

/** Opens a service with a client that has a budget. The client first reads the account. */
function open(maxCredits: number, options: TryOnOptions = {}, server: MockOptions["options"] = {}) {
  const service = createService({ options: server });
  const { client, sent, mock, balance } = service;
  const budget = new Budget({ maxCredits });
  return {
    ...service,
    budget,
    tryon: client({ budget, ...options }),
    /** Faults after the account was read. */
    fail: (...faults: Fault[]) => service.faults.push(undefined, ...faults),
    /** Returns the credits that the key no longer has. */
    charged: async () => 1_000 - ((await balance()) ?? 0),
    accountReads: () => sent.filter(({ path }) => path.endsWith("/account")).length,
    /** Loses the response after 5 seconds. */
    slowCut: async (_request: unknown, pass: () => Promise<Response>): Promise<Response> => {
      await pass();
      await new Promise<void>((resolve) => mock.clock.setTimeout(resolve, 5_000));
      throw new TypeError("fetch failed");
    },
  };
}

/** Returns the `recover` of an error. */
function recoveryOf(error: unknown): Recover {
  const { recover } = Object(error) as { recover?: Recover };
  if (!recover) throw error;
  return recover;
}

describe("a budget", () => {
  it("rejects a try-on above it before sending, with the numbers", async () => {
    const { run, error, budget, tryon, submissions, charged } = open(20);
    await run(tryon.run({ ...input, output_size: "2K" }));
    expect(budget.toJSON()).toEqual({ maxCredits: 20, spent: 12, reserved: 0, left: 8 });
    const before = submissions().length;
    const rejection = await error(tryon.run({ ...input, size: "2k" } as typeof input));
    expect(rejection).toMatchObject({
      code: "budget_exceeded",
      cost: 12,
      spent: 12,
      reserved: 0,
      maxCredits: 20,
      attempts: [],
      hint: "Nothing was sent: raise maxCredits.",
    });
    expect(String(rejection)).toContain("20 credits does not hold another 12");
    expect(submissions()).toHaveLength(before);
    await run(tryon.run(input));
    expect(budget.left).toBe(0);
    expect(await charged()).toBe(20);
  });

  it("counts submissions in flight", async () => {
    const { run, budget, tryon, charged } = open(20);
    const calls = Array.from({ length: 5 }, () => tryon.run(input));
    const ends = await run(Promise.allSettled(calls));
    const reasons = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
    expect(reasons).toHaveLength(3);
    expect(reasons[0]).toMatchObject({ code: "budget_exceeded", spent: 0, reserved: 16 });
    expect(String(reasons[0])).toContain("recover()");
    expect(await charged()).toBe(16);
    expect(budget).toMatchObject({ spent: 16, reserved: 0, left: 4 });
  });

  it("of a call applies in addition to the client's", async () => {
    const { run, error, budget, tryon } = open(100);
    const ofCall = new Budget({ maxCredits: 10 });
    await run(tryon.run(input, { budget: ofCall }));
    expect(await error(tryon.submit(input, { budget: ofCall }))).toMatchObject({ maxCredits: 10 });
    await run(tryon.submit(input));
    const rejection = await error(tryon.submit(input, { budget: { maxCredits: 7 } }));
    expect(rejection).toMatchObject({ code: "budget_exceeded", maxCredits: 7, cost: 8 });
    expect([budget.left, ofCall.left]).toEqual([84, 2]);
  });

  it("of a call counts alone if it counts in the client's budget", async () => {
    const { run, budget, tryon, client } = open(100);
    const countedIn = new Budget({ maxCredits: 100 });
    const shared: Counted = Object.assign(new Budget(countedIn), { countedIn: budget });
    const other: Counted = Object.assign(new Budget(countedIn), { countedIn });
    await run(tryon.run(input, { budget: shared }));
    expect([budget.spent, shared.spent]).toEqual([0, 8]);
    await run(tryon.run(input, { budget: other }));
    expect([budget.spent, other.spent, countedIn.spent]).toEqual([8, 8, 0]);
    await run(client().run(input, { budget: other }));
    expect([other.spent, countedIn.spent]).toEqual([16, 0]);
  });

  it.each([
    ["402", respondWith(402, { detail: "no" })],
    ["422", respondWith(422, { detail: [] })],
    ["409", taken],
    ["a refused connection", cut.refused],
  ])("releases credits after %s, which proves that no job was made", async (_name, fault) => {
    const { run, error, budget, tryon, fail } = open(8, { retries: 0 });
    fail(fault);
    await error(tryon.submit(input));
    expect(budget).toMatchObject({ spent: 0, reserved: 0, left: 8 });
    await run(tryon.submit(input));
  });

  it("keeps an unknown outcome reserved until recover() finds the job", async () => {
    const { run, error, budget, tryon, fail, mock, charged } = open(16, { retries: 0 });
    fail(cut.before, cut.after);
    const lost = recoveryOf(await error(tryon.submit(input)));
    const made = recoveryOf(await error(tryon.submit(input)));
    await mock.clock.advance("20m");
    expect(await error(tryon.submit(input))).toMatchObject({ spent: 0, reserved: 16 });
    for (const recover of [lost, made, made]) await run((await run(recover())).result());
    expect(budget).toMatchObject({ spent: 16, reserved: 0 });
    expect(await charged()).toBe(16);
  });

  it("keeps an aborted submission reserved", async () => {
    const { budget, tryon, fail, mock, sent } = open(20);
    fail(noResponse.after);
    const controller = new AbortController();
    const work = tryon.submit(input, { signal: controller.signal }).catch(() => undefined);
    while (sent.length < 2) await mock.clock.advance(1);
    controller.abort();
    await work;
    expect(budget).toMatchObject({ spent: 0, reserved: 8 });
  });

  it.each(["none", "failed", "failed-except-content-blocked"] as const)(
    "keeps a failed job spent if the service refunds %s, and whatever the balance is",
    async (refund) => {
      const { run, error, budget, tryon, accountReads } = open(16, {}, { refund });
      await error(tryon.run({ ...input, prompt: "mock:model_rejected" }));
      await error(tryon.run({ ...input, prompt: "mock:content_blocked" }));
      await run(
        tryon.credits.purchase({ pack_slug: "demo", shared_payment_granted_token: "spt_fine" }),
      );
      expect(await error(tryon.run(input))).toMatchObject({ code: "budget_exceeded", spent: 16 });
      expect(budget).toMatchObject({ spent: 16, reserved: 0 });
      expect(accountReads()).toBe(1);
    },
  );

  it("needs room again for a recover() after a conflict", async () => {
    const { error, run, tryon, fail } = open(8);
    fail(taken);
    const recover = recoveryOf(await error(tryon.submit(input)));
    await run(tryon.submit(input));
    const rejection = await error(recover());
    expect(rejection).toMatchObject({ code: "budget_exceeded" });
    // The job may exist, so the caller must not submit it as a new one.
    expect(String(rejection)).toMatch(/not sent again.*may have been made.*recover\(\)/);
  });

  it("keeps an aborted recover() reserved while another recover() fails before it sends", async () => {
    const { error, budget, tryon, fail, faults, charged } = open(8, { retries: 0 });
    fail(taken);
    const recover = recoveryOf(await error(tryon.submit(input)));
    const controller = new AbortController();
    faults.push(noResponse.after, cut.refused);
    const aborted = error(recover({ signal: controller.signal }));
    expect(await error(recover())).toMatchObject({ cause: { code: "connection_failed" } });
    controller.abort("enough");
    expect(await aborted).toBe("enough");
    expect(await charged()).toBe(8);
    expect(budget).toMatchObject({ spent: 0, reserved: 8 });
  });
});

describe("one idempotency key", () => {
  it.each([true, false])("counts once, replayed or not (header %s)", async (replayHeader) => {
    const service = open(100, {}, { replayHeader, concurrentTwin: "join" });
    const { run, client, budget, tryon, charged } = service;
    await run(Promise.all([tryon.run(input, own), tryon.run(input, own)]));
    await run(tryon.run(input, own));
    expect(budget).toMatchObject({ spent: 8, reserved: 0 });
    const ofOther = new Budget({ maxCredits: 100 });
    await run(client({ budget: ofOther }).run(input, own));
    expect(ofOther.spent).toBe(replayHeader ? 0 : 8);
    expect(await charged()).toBe(8);
  });

  it("counts once after an unknown outcome", async () => {
    const { run, error, budget, tryon, fail } = open(100, { retries: 0 });
    fail(cut.after);
    const recover = recoveryOf(await error(tryon.run(input, own)));
    for (const call of [() => tryon.run(input, own), recover]) {
      await run<unknown>(call());
      expect(budget).toMatchObject({ spent: 8, reserved: 0 });
    }
  });

  it.each([true, false])(
    "counts once when one of two calls in flight gets no response (header %s)",
    async (replayHeader) => {
      const server = { replayHeader, concurrentTwin: "join", sparseSubmit: false } as const;
      const { run, budget, tryon, fail, slowCut } = open(8, { retries: 0 }, server);
      fail(slowCut);
      const calls = [tryon.submit(input, own), tryon.submit(input, own)];
      const ends = await run(Promise.allSettled(calls));
      expect(ends.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
      expect(budget).toMatchObject({ spent: 8, reserved: 0 });
    },
  );

  it.each([
    ["a lost response", cut.after],
    ["a conflict", taken],
  ])("counts once when one of two recover() calls after %s gets no response", async (_n, fault) => {
    const service = open(8, { retries: 0 }, { sparseSubmit: false });
    const { run, error, budget, tryon, fail, slowCut } = service;
    fail(fault);
    const recover = recoveryOf(await error(tryon.submit(input)));
    fail(slowCut);
    const ends = await run(Promise.allSettled([recover(), recover()]));
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(budget).toMatchObject({ spent: 8, reserved: 0 });
  });

  it.each([
    [0, 0],
    [1, 8],
  ])(
    "counts again once the service may have forgotten it (%i ms after the window: %i reserved)",
    async (late, reserved) => {
      const options = { retries: 0, idempotencyWindow: "30m" } as const;
      const { run, error, budget, tryon, fail, mock, submissions } = open(16, options);
      fail(cut.before);
      await error(tryon.run(input, own));
      const passed = mock.clock.now() - (submissions()[0]?.at ?? 0);
      await mock.clock.advance(0.9 * 1_800_000 + late - passed);
      await run(tryon.run(input, own));
      expect(budget).toMatchObject({ spent: 8, reserved });
    },
  );

  it("needs no room for a second recover() of its job", async () => {
    const { error, run, budget, tryon, faults } = open(16);
    const { id } = await run(tryon.submit(input, own));
    faults.push(taken);
    const recover = recoveryOf(await error(tryon.submit(input, own)));
    await run(recover());
    await run(tryon.run(input));
    expect(budget.left).toBe(0);
    expect((await run(recover())).id).toBe(id);
  });

  it("counts once while it is one of the 10,000 latest", async () => {
    const contexts = new ClientContexts(
      { apiKey: "svc_live_key", baseUrl: "http://127.0.0.1" },
      parts,
    );
    await contexts.within({}, "10s", async ({ spendTracker }, deadline) => {
      const reserve = (idempotencyKey: string) =>
        spendTracker.reserve({ size: "1K", idempotencyKey, budget: undefined }, deadline);
      const first = await reserve("first");
      for (let count = 1; count < 10_000; count += 1) await reserve(`${count}`);
      expect(await reserve("first")).toBe(first);
      await reserve("last");
      expect(await reserve("first")).not.toBe(first);
    });
  });

  it("counts in the budget of each call, until it is released", async () => {
    const { run, error, tryon, budget, fail } = open(100, { retries: 0 });
    const [first, second] = [new Budget(budget), new Budget(budget)];
    fail(respondWith(402, { detail: "no" }));
    await error(tryon.submit(input, { ...own, budget: first }));
    const calls = [first, second].map((one) => tryon.run(input, { ...own, budget: one }));
    await run(Promise.allSettled(calls));
    expect([budget.spent, first.spent, second.spent]).toEqual([8, 8, 8]);
  });

  it("counts a second job that the service has made under it", async () => {
    const { run, budget, tryon, faults } = open(16);
    await run(tryon.run(input, own));
    faults.push(respondWith(200, { job_id: "job_second", status: "queued", cost_credits: 8 }));
    await run(tryon.submit(input, own));
    expect(budget).toMatchObject({ spent: 16, reserved: 0 });
  });
});

describe("the cost of a try-on", () => {
  it("is 0 with a test key", async () => {
    const { run, client, budget, fail, mock } = open(8);
    const tryon = client({ apiKey: mock.keys.test, budget });
    fail({ latency: "5s" });
    const slow = tryon.run(input);
    await mock.clock.advance("2s");
    expect(budget).toMatchObject({ spent: 0, reserved: 8, left: 0 });
    await run(slow);
    expect(budget).toMatchObject({ spent: 0, reserved: 0, left: 8 });
    await run(tryon.submit({ ...input, prompt: "mock:model_rejected" }));
    expect(budget.left).toBe(8);
  });

  it.each<[string, object[], number, number]>([
    ["reserved until a response states it", [{ cost_credits: 11 }], 11, 0],
    ["the last one stated", [{ cost_credits: 11 }, { status: "failed", cost_credits: 9 }], 9, 0],
    ["unknown while none is stated", [{}], 0, 8],
    ["unknown if it is negative", [{ cost_credits: -1 }], 0, 8],
    ["unknown if it is text", [{ cost_credits: "5" }], 0, 8],
    ["unknown if it is a fraction", [{ cost_credits: 0.5 }], 0, 8],
    ["unknown if it is absurd", [{ cost_credits: 1e300 }], 0, 8],
    ["the price until the end if less is stated", [{ cost_credits: 0 }], 0, 8],
    ["in part known if less is stated", [{ cost_credits: 5 }], 5, 3],
    [
      "0 if that is stated at the end",
      [{ cost_credits: 0 }, { status: "succeeded", cost_credits: 0 }],
      0,
      0,
    ],
    ["that of the end", [{ status: "failed", cost_credits: 9 }, { cost_credits: 0 }], 9, 0],
    [
      "the price if it is negative at the end",
      [{ cost_credits: 0 }, { status: "succeeded", cost_credits: -8 }],
      8,
      0,
    ],
    ["0 in test mode", [{ test_mode: true }], 0, 0],
    ["the price if the job fails without it", [{ status: "failed" }], 8, 0],
    ["the price if the job succeeds without it", [{ status: "succeeded" }], 8, 0],
  ])("is %s: %j is %i spent and %i reserved", async (_rule, responses, spent, reserved) => {
    const { run, budget, tryon, faults } = open(100, {}, { sparseSubmit: true });
    const { id } = await run(tryon.submit(input));
    expect(budget).toMatchObject({ spent: 0, reserved: 8 });
    for (const fields of responses) {
      faults.push(respondWith(200, { job_id: id, status: "running", ...fields }));
      await run(tryon.jobs.get(id));
    }
    expect(budget).toMatchObject({ spent, reserved });
  });

  it.each([
    ["svc_test_key", 0],
    ["svc_live_svc_test_", 8],
  ])("is 0 with the key %s if no response states it: %i reserved", async (apiKey, reserved) => {
    const { run, budget, tryon, faults } = open(100, { apiKey });
    faults.push(
      respondWith(403, { detail: "no" }),
      respondWith(200, { job_id: "job_1", status: "queued" }),
    );
    await run(tryon.submit(input));
    expect(budget).toMatchObject({ spent: 0, reserved });
  });

  it("of another client's job does not count", async () => {
    const { run, budget, tryon, faults } = open(8);
    faults.push(respondWith(200, { job_id: "job_1", status: "succeeded", cost_credits: 8 }));
    await run(tryon.jobs.get("job_1"));
    expect(budget).toMatchObject({ spent: 0, reserved: 0 });
  });

  it("is the account's price, or the document's if the account cannot be read", async () => {
    const { error, run, client, tryon, faults } = open(29);
    const account = { credits_remaining: 1_000, tryon_cost_credits: { "1K": 30 } };
    faults.push(respondWith(200, account));
    const rejection = { code: "budget_exceeded", cost: 30 };
    expect(await error(tryon.submit(input))).toMatchObject(rejection);
    faults.push(respondWith(403, { detail: "closed" }));
    await run(client({ budget: { maxCredits: 8 } }).submit(input));
  });

  it("is the highest price for a size without one", async () => {
    const { error, tryon } = open(19, { validate: false });
    // Programs without types pass anything.
    const rejection = await error(tryon.submit({ ...input, output_size: "8K" as never }));
    expect(rejection).toMatchObject({ code: "budget_exceeded", cost: 20 });
  });
});

describe("reading the account before the first try-on", () => {
  it("goes on for other calls when one call is aborted, and is not the response of a call", async () => {
    const { run, tryon, faults, mock, submissions, accountReads } = open(8);
    faults.push({ latency: "5s" });
    const reason = { why: "enough" };
    const controller = new AbortController();
    const first = failure(tryon.run(input, { signal: controller.signal }));
    const second = tryon.submit(input).withResponse();
    while (accountReads() === 0) await mock.clock.advance(1);
    controller.abort(reason);
    expect(await run(first)).toBe(reason);
    const { data, response } = await run(second);
    expect(response.url === "" || response.url.endsWith("/tryon")).toBe(true);
    expect(data.idempotencyKey).toBe(submissions()[0]?.headers.get("idempotency-key"));
    expect(submissions()).toHaveLength(1);
  });

  it("ends with the deadline of the call, and nothing is sent", async () => {
    const { error, tryon, faults, submissions } = open(8);
    faults.push(noResponse.before);
    expect(await error(tryon.submit(input, { timeout: "3s" }))).toMatchObject({
      code: "timed_out",
      message: expect.stringContaining("The account was not read in time."),
      hint: expect.stringContaining("Nothing was sent"),
    });
    expect(submissions()).toHaveLength(0);
  });
});

it.each([-1, Number.NaN, "5", undefined])("rejects a limit of %s credits", async (wrong) => {
  expect(new Budget({ maxCredits: 0 }).left).toBe(0);
  // Programs without types pass anything.
  const limit = { maxCredits: wrong as number };
  expect(() => new Budget(limit)).toThrow("budget.maxCredits is not a number from 0 up");
  const { error, client, sent } = open(8);
  const rejection = { code: "invalid_input" };
  expect(() => client({ budget: limit })).toThrow(expect.objectContaining(rejection));
  expect(await error(client().submit(input, { budget: limit }))).toMatchObject(rejection);
  expect(await error(client().submit(input, { budget: 500 as never }))).toMatchObject(rejection);
  expect(sent).toHaveLength(0);
});
