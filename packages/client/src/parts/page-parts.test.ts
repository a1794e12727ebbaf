import { describe, expect, it, vi } from "vitest";

import { Budget, ConnectionError } from "../index.ts";
import { ClientContexts } from "../jobs/client-context.ts";
import { createService } from "../../test/service.ts";
import * as account from "./account.ts";
import { PageSpendCounter } from "./page-spend-counter.ts";
import { jobParts, lazy, loadAccount, parts } from "./page-parts.ts";

describe("a part of a page", () => {
  it("is loaded once", async () => {
    const load = vi.fn<() => Promise<object>>(async () => ({ name: "part" }));
    const part = lazy(load);
    expect(await part()).toEqual({ name: "part" });
    expect(part()).toBe(await part());
    expect(load).toHaveBeenCalledTimes(1);
  });

  it("is loaded by a later call after a failure", async () => {
    let isOffline = true;
    const part = lazy(async () => {
      if (isOffline) throw new TypeError("Failed to fetch dynamically imported module");
      return { name: "part" };
    });
    expect(await part()).toBeUndefined();
    isOffline = false;
    expect(await part()).toEqual({ name: "part" });
  });

  it("has the same functions as outside of pages", async () => {
    expect(await loadAccount()).toBe(account);
    expect(await jobParts.explain()).toHaveProperty("explainOutcome");
    expect(await jobParts.images()).toHaveProperty("streamOf");
    expect(await jobParts.checks()).toHaveProperty("checkInput");
    expect(await parts.identify()).toHaveProperty("isServiceElsewhere");
    expect(await parts.loadMiddleware()).toHaveProperty("sendThroughMiddleware");
  });

  it("searches the list for a submission", async () => {
    const { contexts, run } = open();
    const submission = {
      idempotencyKey: "order-17",
      attemptLog: { age: undefined },
      earlier: undefined,
    };
    const found = contexts.within({}, "10s", (context, deadline) =>
      contexts.find(submission, context.fingerprint, deadline),
    );
    expect(await run(found)).toMatchObject({ status: "unknown" });
  });
});

/** Opens the contexts of a client in a page, whose spend counter is loaded as given. */
function open(budget?: Budget, load: typeof loadAccount = loadAccount) {
  const { mock, run } = createService();
  const { clock, baseUrl, fetch, keys } = mock;
  const contexts = new ClientContexts(
    { apiKey: keys.live, baseUrl, clock, fetch, budget },
    { ...parts, createSpendCounter: (...given) => new PageSpendCounter(load, ...given) },
  );
  return { contexts, run };
}

describe("the spend counter of a page", () => {
  const plan = { size: "1K", idempotencyKey: "order-17", budget: undefined };

  it("loads nothing without a budget", async () => {
    const load = vi.fn<typeof loadAccount>(loadAccount);
    const { contexts, run } = open(undefined, load);
    const charge = contexts.within({}, "10s", ({ spendTracker }, deadline) => {
      spendTracker.recordJob({ job_id: "job_1", status: "succeeded" });
      return spendTracker.reserve(plan, deadline);
    });
    expect(await run(charge)).toBeUndefined();
    expect(load).not.toHaveBeenCalled();
  });

  it("counts with the budget of the client", async () => {
    const budget = new Budget({ maxCredits: 20 });
    const { contexts, run } = open(budget);
    await run(
      contexts.within({}, "10s", async ({ spendTracker }, deadline) => {
        const charge = await spendTracker.reserve(plan, deadline);
        if (!charge) throw new Error("It has no charge.");
        expect(budget.reserved).toBe(8);
        const job = { job_id: "job_1", status: "succeeded", cost_credits: 8 } as const;
        spendTracker.recordFound(charge, job);
        spendTracker.recordJob(job);
        expect(budget).toMatchObject({ spent: 8, reserved: 0 });
        const other = await spendTracker.reserve({ ...plan, idempotencyKey: "order-18" }, deadline);
        if (!other) throw new Error("It has no charge.");
        spendTracker.recordNoJob(other);
        expect(budget.left).toBe(12);
        expect(await spendTracker.costs(deadline)).toMatchObject({ source: "account" });
      }),
    );
  });

  it("sends nothing with a budget that it cannot count", async () => {
    const budget = new Budget({ maxCredits: 20 });
    const { contexts } = open(undefined, async () => undefined);
    const reserving = contexts.within({}, "10s", ({ spendTracker }, deadline) =>
      spendTracker.reserve({ ...plan, budget }, deadline),
    );
    await expect(reserving).rejects.toThrow(ConnectionError);
  });
});
