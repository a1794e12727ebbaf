import { describe, expect, it } from "vitest";

import { Budget, isTryOnError, type BudgetLimit, type TryOn } from "../index.ts";
import { makeDigestsInstant } from "../../test/instant-digests.ts";
import {
  interrupted,
  memoryJournal,
  order,
  requestLost,
  responseLost,
  runOrders,
  type Order,
} from "../../test/memory-journal.ts";
import { createService, type Fault, type TestService } from "../../test/service.ts";
import { BatchStoppedError, type Journal } from "./index.ts";

makeDigestsInstant();

/** Runs a batch until it ends or stops, and returns "done" or the error code of each item that ended. */
async function runBatch(
  service: TestService,
  orders: readonly (Order | string)[],
  options: { readonly journal: Journal; readonly budget: BudgetLimit; readonly tryon?: TryOn },
): Promise<Record<string, string>> {
  const { journal, ...rest } = options;
  const named = orders.map((one) => (typeof one === "string" ? order(one) : one));
  // A program that starts again has a new client.
  const own = { tryon: service.client(), concurrency: 4, ...rest };
  const { read, error: stopped } = await runOrders(service, named, journal, own);
  if (stopped !== undefined && !(stopped instanceof BatchStoppedError)) throw stopped;
  const outcomes = read.map(({ id, error }) => [id, isTryOnError(error) ? error.code : "done"]);
  return Object.fromEntries(outcomes) as Record<string, string>;
}

async function spent({ balance }: TestService): Promise<number> {
  return 1_000 - ((await balance()) ?? 0);
}

const ids = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `sku-${index}`);

/** Returns the journal of a batch with a budget that lost every request of item "a". */
function interruptedBatch(service: TestService, faults: readonly Fault[], one?: Order) {
  // The first two requests read the rate limit and the prices.
  return interrupted(service, [undefined, ...faults], one, { budget: { maxCredits: 80 } });
}

describe("the budget of a batch with a journal", () => {
  it("limits all runs together", async () => {
    const service = createService();
    const journal = memoryJournal();
    const totals: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      const outcomes = await runBatch(service, ids(30), { journal, budget: { maxCredits: 80 } });
      expect(new Set(Object.values(outcomes))).toEqual(new Set(["done", "budget_exceeded"]));
      totals.push(await spent(service));
    }
    expect(totals).toEqual([80, 80, 80]);
  });

  it("counts items of earlier runs that the inputs name last or not at all", async () => {
    const service = createService();
    const journal = memoryJournal();
    const budget = { maxCredits: 40 };
    await runBatch(service, ["a", "b", "c"], { journal, budget });
    const outcomes = await runBatch(service, [...ids(10), "c"], { journal, budget });
    expect(Object.values(outcomes).filter((outcome) => outcome === "done")).toHaveLength(2);
    expect(await spent(service)).toBe(40);
  });

  it("counts each item once in a `Budget` that the runs share", async () => {
    const service = createService();
    const journal = memoryJournal();
    const budget = new Budget({ maxCredits: 80 });
    const tryon = service.client({ budget });
    await runBatch(service, ids(5), { journal, budget, tryon });
    expect(budget.toJSON()).toMatchObject({ spent: 40, reserved: 0 });
    const outcomes = await runBatch(service, ids(10), { journal, budget, tryon });
    expect(Object.values(outcomes)).toEqual(Array(10).fill("done"));
    expect(budget.toJSON()).toMatchObject({ spent: 80, reserved: 0 });
  });

  it.each([false, true])(
    "counts an item of an earlier process once in a `Budget` that several runs share (client, too: %s)",
    async (isShared) => {
      const service = createService();
      const journal = await interruptedBatch(service, requestLost);
      const budget = new Budget({ maxCredits: 16 });
      const tryon = service.client(isShared ? { budget } : {});
      service.faults.push(undefined, ...requestLost);
      await runBatch(service, ["a"], { journal, budget, tryon });
      expect(budget.toJSON()).toMatchObject({ spent: 0, reserved: 8 });
      await runBatch(service, ["a", "b"], { journal, budget, tryon });
      expect(budget.toJSON()).toMatchObject({ spent: 16, reserved: 0 });
    },
  );

  it.each([
    ["arrived", responseLost, false],
    ["did not arrive", requestLost, false],
    ["arrived, with the same `Budget` for the client", responseLost, true],
    ["did not arrive, with the same `Budget` for the client", requestLost, true],
  ])("keeps room for an item that an earlier run sent and that %s", async (_name, faults, both) => {
    const service = createService();
    const journal = await interruptedBatch(service, faults);
    expect(journal.entries.get("a")?.state).toBe("sending");
    const budget = new Budget({ maxCredits: 8 });
    const tryon = both ? service.client({ budget }) : service.client();
    expect(await runBatch(service, ["b", "a"], { journal, budget, tryon })).toEqual({
      a: "done",
      b: "budget_exceeded",
    });
    expect(budget.toJSON()).toMatchObject({ spent: 8, reserved: 0 });
    expect(await spent(service)).toBe(8);
  });

  it("reserves the price of its size for an item that stays unknown", async () => {
    const service = createService();
    const [a, b] = ["a", "b"].map((sku) => order(sku, { output_size: "2K" }));
    const journal = await interruptedBatch(service, requestLost, a);
    await service.mock.clock.advance("2h");
    const budget = new Budget({ maxCredits: 24 });
    expect(await runBatch(service, [a ?? "", b ?? ""], { journal, budget })).toEqual({
      a: "outcome_unknown",
      b: "done",
    });
    expect(budget.toJSON()).toMatchObject({ spent: 12, reserved: 12 });
  });

  it("charges an item whose job is found after the key expired", async () => {
    const service = createService();
    const journal = await interruptedBatch(service, responseLost);
    await service.mock.clock.advance("2h");
    const budget = new Budget({ maxCredits: 8 });
    expect(await runBatch(service, ["a"], { journal, budget })).toEqual({ a: "done" });
    expect(budget.toJSON()).toMatchObject({ spent: 8, reserved: 0 });
  });

  it("counts an entry without a size or a cost at the highest price", async () => {
    const service = createService();
    const journal = memoryJournal();
    await runBatch(service, ["a"], { journal, budget: { maxCredits: 8 } });
    const entry = journal.entries.get("a");
    if (entry?.job === undefined) throw new Error("The item has no job.");
    const { size: _size, ...old } = entry;
    await journal.put({ ...old, state: "submitted", job: { id: entry.job.id } });
    const before = new Budget({ maxCredits: 20 });
    await runBatch(service, ["b"], { journal, budget: before });
    expect(before.toJSON()).toMatchObject({ spent: 0, reserved: 20 });
    const after = new Budget({ maxCredits: 20 });
    await runBatch(service, ["a"], { journal, budget: after });
    expect(after.toJSON()).toMatchObject({ spent: 8, reserved: 0 });
  });
});
