import { describe, expect, it } from "vitest";

import { Budget, type Recover } from "../index.ts";
import { createContexts } from "../jobs/client-context.ts";
import type { Counted } from "../types/budget.ts";
import {
  respondWith,
  createService,
  cut,
  input,
  noResponse,
  type Fault,
  type TestService,
} from "../../test/service.ts";

const failing = { ...input, prompt: "mock:model_rejected" };
const own = { idempotencyKey: "order-17" };

/** Returns the credits that the key no longer has. */
async function charged({ balance }: TestService): Promise<number> {
  return 1_000 - ((await balance()) ?? 0);
}

function accountReads({ sent }: TestService): number {
  return sent.filter(({ path }) => path.endsWith("/account")).length;
}

/** Returns the `recover` of an error. */
function recoveryOf(error: unknown): Recover {
  const { recover } = Object(error) as { recover?: Recover };
  if (!recover) throw error;
  return recover;
}

/** Returns a fault that loses the response after 5 seconds. */
function slowCut({ mock }: TestService): Fault {
  return async (_request, pass) => {
    await pass();
    await new Promise<void>((resolve) => mock.clock.setTimeout(resolve, 5_000));
    throw new TypeError("fetch failed");
  };
}

describe("a budget", () => {
  it("rejects a try-on above it before sending, with the numbers", async () => {
    const budget = new Budget({ maxCredits: 20 });
    const service = createService();
    const { run, error, client, submissions } = service;
    const tryon = client({ budget });
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
    expect(await charged(service)).toBe(20);
  });

  it("counts submissions in flight", async () => {
    const budget = new Budget({ maxCredits: 20 });
    const service = createService();
    const tryon = service.client({ budget });
    const calls = Array.from({ length: 5 }, () => tryon.run(input));
    const ends = await service.run(Promise.allSettled(calls));
    const reasons = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
    expect(reasons).toHaveLength(3);
    expect(reasons[0]).toMatchObject({ code: "budget_exceeded", spent: 0, reserved: 16 });
    expect(String(reasons[0])).toContain("recover()");
    expect(await charged(service)).toBe(16);
    expect(budget).toMatchObject({ spent: 16, reserved: 0, left: 4 });
  });

  it("of a call applies in addition to the client's", async () => {
    const ofClient = new Budget({ maxCredits: 100 });
    const ofCall = new Budget({ maxCredits: 10 });
    const { run, error, client } = createService();
    const tryon = client({ budget: ofClient });
    await run(tryon.run(input, { budget: ofCall }));
    expect(await error(tryon.submit(input, { budget: ofCall }))).toMatchObject({ maxCredits: 10 });
    await run(tryon.submit(input));
    expect(await error(tryon.submit(input, { budget: { maxCredits: 7 } }))).toMatchObject({
      code: "budget_exceeded",
      maxCredits: 7,
      cost: 8,
    });
    expect([ofClient.left, ofCall.left]).toEqual([84, 2]);
  });

  it("of a call counts alone if it counts in the client's budget", async () => {
    const ofClient = new Budget({ maxCredits: 100 });
    const countedIn = new Budget({ maxCredits: 100 });
    const shared: Counted = Object.assign(new Budget(countedIn), { countedIn: ofClient });
    const other: Counted = Object.assign(new Budget(countedIn), { countedIn });
    const { run, client } = createService();
    const tryon = client({ budget: ofClient });
    await run(tryon.run(input, { budget: shared }));
    expect([ofClient.spent, shared.spent]).toEqual([0, 8]);
    await run(tryon.run(input, { budget: other }));
    expect([ofClient.spent, other.spent, countedIn.spent]).toEqual([8, 8, 0]);
  });

  it.each([
    ["402", respondWith(402, { detail: "no" })],
    ["422", respondWith(422, { detail: [] })],
    ["409", respondWith(409, { detail: "taken" })],
    ["a refused connection", cut.refused],
  ])("releases credits after %s, which proves that no job was made", async (_name, fault) => {
    const budget = new Budget({ maxCredits: 8 });
    const { run, error, client, faults } = createService();
    const tryon = client({ budget, retries: 0 });
    faults.push(undefined, fault);
    await error(tryon.submit(input));
    expect(budget).toMatchObject({ spent: 0, reserved: 0, left: 8 });
    await run(tryon.submit(input));
  });

  it("keeps an unknown outcome reserved until recover() finds the job", async () => {
    const budget = new Budget({ maxCredits: 16 });
    const service = createService();
    const { run, error, client, faults, mock } = service;
    const tryon = client({ budget, retries: 0 });
    faults.push(undefined, cut.before, cut.after);
    const lost = recoveryOf(await error(tryon.submit(input)));
    const made = recoveryOf(await error(tryon.submit(input)));
    await mock.clock.advance("20m");
    expect(await error(tryon.submit(input))).toMatchObject({ spent: 0, reserved: 16 });
    for (const recover of [lost, made, made]) await run((await run(recover())).result());
    expect(budget).toMatchObject({ spent: 16, reserved: 0 });
    expect(await charged(service)).toBe(16);
  });

  it("keeps an aborted submission reserved", async () => {
    const budget = new Budget({ maxCredits: 20 });
    const { client, faults, mock, sent } = createService();
    faults.push(undefined, noResponse.after);
    const controller = new AbortController();
    const { signal } = controller;
    const work = client({ budget })
      .submit(input, { signal })
      .catch(() => undefined);
    while (sent.length < 2) await mock.clock.advance(1);
    controller.abort();
    await work;
    expect(budget).toMatchObject({ spent: 0, reserved: 8 });
  });

  it.each(["none", "failed", "failed-except-content-blocked"] as const)(
    "keeps a failed job spent if the service refunds %s, and whatever the balance is",
    async (refund) => {
      const budget = new Budget({ maxCredits: 16 });
      const service = createService({ options: { refund } });
      const { run, error, client } = service;
      const tryon = client({ budget });
      await error(tryon.run(failing));
      await error(tryon.run({ ...input, prompt: "mock:content_blocked" }));
      await run(
        tryon.credits.purchase({ pack_slug: "demo", shared_payment_granted_token: "spt_fine" }),
      );
      expect(await error(tryon.run(input))).toMatchObject({ code: "budget_exceeded", spent: 16 });
      expect(budget).toMatchObject({ spent: 16, reserved: 0 });
      expect(accountReads(service)).toBe(1);
    },
  );

  it("needs room again for a recover() after a conflict", async () => {
    const { error, run, client, faults } = createService();
    const tryon = client({ budget: { maxCredits: 8 } });
    faults.push(undefined, respondWith(409, { detail: "taken" }));
    const recover = recoveryOf(await error(tryon.submit(input)));
    await run(tryon.submit(input));
    const rejection = await error(recover());
    expect(rejection).toMatchObject({ code: "budget_exceeded" });
    // The job may exist, so the caller must not submit it as a new one.
    expect(String(rejection)).toMatch(/not sent again.*may have been made.*recover\(\)/);
  });

  it("keeps an aborted recover() reserved while another recover() fails before it sends", async () => {
    const service = createService({}, { retries: 0 });
    const budget = new Budget({ maxCredits: 8 });
    service.faults.push(undefined, respondWith(409, { detail: "in progress" }));
    const conflict = await service.error(service.tryon.submit(input, { budget }));
    const controller = new AbortController();
    service.faults.push(noResponse.after, cut.refused);
    const recover = recoveryOf(conflict);
    const aborted = service.error(recover({ signal: controller.signal }));
    expect(await service.error(recover())).toMatchObject({ cause: { code: "connection_failed" } });
    controller.abort("enough");
    expect(await aborted).toBe("enough");
    expect(await charged(service)).toBe(8);
    expect(budget.toJSON()).toMatchObject({ spent: 0, reserved: 8 });
  });
});

describe("one idempotency key", () => {
  it.each([true, false])("counts once, replayed or not (header %s)", async (replayHeader) => {
    const budget = new Budget({ maxCredits: 100 });
    const service = createService({ options: { replayHeader, concurrentTwin: "join" } });
    const { run, client } = service;
    const tryon = client({ budget });
    await run(Promise.all([tryon.run(input, own), tryon.run(input, own)]));
    await run(tryon.run(input, own));
    expect(budget).toMatchObject({ spent: 8, reserved: 0 });
    const ofOther = new Budget({ maxCredits: 100 });
    await run(client({ budget: ofOther }).run(input, own));
    expect(ofOther.spent).toBe(replayHeader ? 0 : 8);
    expect(await charged(service)).toBe(8);
  });

  it("counts once after an unknown outcome", async () => {
    const budget = new Budget({ maxCredits: 100 });
    const { run, error, client, faults } = createService();
    const tryon = client({ budget, retries: 0 });
    faults.push(undefined, cut.after);
    const recover = recoveryOf(await error(tryon.run(input, own)));
    await run(tryon.run(input, own));
    expect(budget).toMatchObject({ spent: 8, reserved: 0 });
    await run(recover());
    expect(budget).toMatchObject({ spent: 8, reserved: 0 });
  });

  it.each([true, false])(
    "counts once when one of two calls in flight gets no response (header %s)",
    async (replayHeader) => {
      const budget = new Budget({ maxCredits: 8 });
      const service = createService({
        options: { replayHeader, concurrentTwin: "join", sparseSubmit: false },
      });
      const tryon = service.client({ budget, retries: 0 });
      service.faults.push(undefined, slowCut(service));
      const calls = [tryon.submit(input, own), tryon.submit(input, own)];
      const ends = await service.run(Promise.allSettled(calls));
      expect(ends.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
      expect(budget).toMatchObject({ spent: 8, reserved: 0 });
    },
  );

  it.each([
    ["a lost response", cut.after],
    ["a conflict", respondWith(409, { detail: "taken" })],
  ])("counts once when one of two recover() calls after %s gets no response", async (_n, fault) => {
    const budget = new Budget({ maxCredits: 8 });
    const service = createService({ options: { sparseSubmit: false } });
    const { run, error, client, faults } = service;
    faults.push(undefined, fault);
    const recover = recoveryOf(await error(client({ budget, retries: 0 }).submit(input)));
    faults.push(undefined, slowCut(service));
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
      const budget = new Budget({ maxCredits: 16 });
      const { run, error, client, faults, mock, submissions } = createService();
      const tryon = client({ budget, retries: 0, idempotencyWindow: "30m" });
      faults.push(undefined, cut.before);
      await error(tryon.run(input, own));
      const passed = mock.clock.now() - (submissions()[0]?.at ?? 0);
      await mock.clock.advance(1_800_000 + late - passed);
      await run(tryon.run(input, own));
      expect(budget).toMatchObject({ spent: 8, reserved });
    },
  );

  it("needs no room for a second recover() of its job", async () => {
    const budget = new Budget({ maxCredits: 16 });
    const { error, run, client, faults } = createService();
    const tryon = client({ budget });
    const { id } = await run(tryon.submit(input, own));
    faults.push(respondWith(409, { detail: "taken" }));
    const recover = recoveryOf(await error(tryon.submit(input, own)));
    await run(recover());
    await run(tryon.run(input));
    expect(budget.left).toBe(0);
    expect((await run(recover())).id).toBe(id);
  });

  it("counts once while it is one of the 10,000 latest", async () => {
    const contexts = createContexts({ apiKey: "svc_live_key", baseUrl: "http://127.0.0.1" });
    await contexts.within({}, "10s", async ({ spendTracker }, deadline) => {
      const reserve = (idempotencyKey: string) =>
        spendTracker.reserve({ size: "1K", idempotencyKey, budgets: [] }, deadline);
      const first = await reserve("first");
      for (let count = 1; count < 10_000; count += 1) await reserve(`${count}`);
      expect(await reserve("first")).toBe(first);
      await reserve("last");
      expect(await reserve("first")).not.toBe(first);
    });
  });

  it("counts a second job that the service has made under it", async () => {
    const budget = new Budget({ maxCredits: 16 });
    const { run, client, faults } = createService();
    const tryon = client({ budget });
    await run(tryon.run(input, own));
    faults.push(respondWith(200, { job_id: "job_second", status: "queued", cost_credits: 8 }));
    await run(tryon.submit(input, own));
    expect(budget).toMatchObject({ spent: 16, reserved: 0 });
  });
});

describe("the cost of a try-on", () => {
  it("is 0 with a test key", async () => {
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

  it("is reserved until any response states it", async () => {
    const budget = new Budget({ maxCredits: 100 });
    const { run, client, faults } = createService({ options: { sparseSubmit: true } });
    const tryon = client({ budget });
    const job = await run(tryon.submit(input));
    expect(budget).toMatchObject({ spent: 0, reserved: 8 });
    faults.push(respondWith(200, { job_id: job.id, status: "running", cost_credits: 11 }));
    await run(tryon.jobs.get(job.id));
    expect(budget).toMatchObject({ spent: 11, reserved: 0 });
    const failed = { job_id: job.id, status: "failed", cost_credits: 9 };
    faults.push(respondWith(200, failed));
    await run(tryon.jobs.get(job.id));
    expect(budget).toMatchObject({ spent: 9, reserved: 0 });
  });

  it.each([
    [{ status: "running" }, 0, 8],
    [{ status: "running", cost_credits: -1 }, 0, 8],
    [{ status: "running", cost_credits: "5" }, 0, 8],
    [{ status: "running", cost_credits: 0 }, 0, 0],
    [{ status: "running", test_mode: true }, 0, 0],
    [{ status: "failed" }, 8, 0],
    [{ status: "succeeded" }, 8, 0],
  ])("of a job with %j is %i spent and %i reserved", async (fields, spent, reserved) => {
    const budget = new Budget({ maxCredits: 100 });
    const { run, client, faults } = createService({ options: { sparseSubmit: true } });
    const tryon = client({ budget });
    const job = await run(tryon.submit(input));
    faults.push(respondWith(200, { job_id: job.id, ...fields }));
    await run(tryon.jobs.get(job.id));
    expect(budget).toMatchObject({ spent, reserved });
  });

  it.each([
    ["svc_test_key", 0],
    ["svc_live_svc_test_", 8],
  ])("is 0 with the key %s if no response states it: %i reserved", async (apiKey, reserved) => {
    const budget = new Budget({ maxCredits: 100 });
    const { run, client, faults } = createService();
    faults.push(
      respondWith(403, { detail: "no" }),
      respondWith(200, { job_id: "job_1", status: "queued" }),
    );
    await run(client({ apiKey, budget }).submit(input));
    expect(budget).toMatchObject({ spent: 0, reserved });
  });

  it("of another client's job does not count", async () => {
    const budget = new Budget({ maxCredits: 8 });
    const { run, client, faults } = createService();
    faults.push(respondWith(200, { job_id: "job_1", status: "succeeded", cost_credits: 8 }));
    await run(client({ budget }).jobs.get("job_1"));
    expect(budget).toMatchObject({ spent: 0, reserved: 0 });
  });

  it("is the account's price, or the document's if the account cannot be read", async () => {
    const { error, run, client, faults } = createService();
    const account = { credits_remaining: 1_000, tryon_cost_credits: { "1K": 30 } };
    faults.push(respondWith(200, account));
    const expensive = await error(client({ budget: { maxCredits: 29 } }).submit(input));
    expect(expensive).toMatchObject({ code: "budget_exceeded", cost: 30 });
    faults.push(respondWith(403, { detail: "closed" }));
    await run(client({ budget: { maxCredits: 8 } }).submit(input));
  });

  it("is the highest price for a size without one", async () => {
    const { error, client } = createService();
    const tryon = client({ budget: { maxCredits: 19 }, validate: false });
    // Programs without types pass anything.
    const rejection = await error(tryon.submit({ ...input, output_size: "8K" as never }));
    expect(rejection).toMatchObject({ code: "budget_exceeded", cost: 20 });
  });
});

describe("reading the account before the first try-on", () => {
  it("needs a budget", async () => {
    const service = createService();
    await service.run(service.tryon.submit(input));
    expect(accountReads(service)).toBe(0);
  });

  it("goes on for other calls when one call is aborted, and is not the response of a call", async () => {
    const budget = new Budget({ maxCredits: 8 });
    const service = createService();
    const { run, client, faults, mock, submissions } = service;
    const tryon = client({ budget });
    faults.push({ latency: "5s" });
    const reason = { why: "enough" };
    const controller = new AbortController();
    const first = tryon.run(input, { signal: controller.signal }).catch((error: unknown) => error);
    const second = tryon.submit(input).withResponse();
    while (accountReads(service) === 0) await mock.clock.advance(1);
    controller.abort(reason);
    expect(await run(first)).toBe(reason);
    const { data, response } = await run(second);
    expect(response.url === "" || response.url.endsWith("/tryon")).toBe(true);
    expect(data.idempotencyKey).toBe(submissions()[0]?.headers.get("idempotency-key"));
    expect(submissions()).toHaveLength(1);
  });

  it("ends with the deadline of the call, and nothing is sent", async () => {
    const { error, client, faults, submissions } = createService();
    faults.push(noResponse.before);
    const tryon = client({ budget: { maxCredits: 8 } });
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
  const { error, client, sent } = createService();
  const rejection = { code: "invalid_input" };
  expect(() => client({ budget: limit })).toThrow(expect.objectContaining(rejection));
  expect(await error(client().submit(input, { budget: limit }))).toMatchObject(rejection);
  expect(await error(client().submit(input, { budget: 500 as never }))).toMatchObject(rejection);
  expect(sent).toHaveLength(0);
});
