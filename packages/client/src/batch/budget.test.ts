import { describe, expect, it } from "vitest";

import { Budget, type BudgetLimit, type TryOn, type TryOnFields } from "../index.ts";
import { makeDigestsInstant } from "../../test/instant-digests.ts";
import { all, memoryJournal, type MemoryJournal } from "../../test/memory-journal.ts";
import { createService, cut, input, type Fault, type TestService } from "../../test/service.ts";
import { batch, BatchStoppedError, type Journal } from "./index.ts";

makeDigestsInstant();

/** Runs a batch until it ends or stops, and returns "done" or the error code of each item that ended. */
async function runBatch(
  service: TestService,
  ids: readonly string[],
  options: {
    readonly journal: Journal;
    readonly budget: BudgetLimit;
    readonly tryon?: TryOn;
    readonly fields?: Pick<TryOnFields, "output_size">;
  },
): Promise<Record<string, string>> {
  // A program that starts again has a new client.
  const { tryon = service.client(), fields, ...rest } = options;
  const outcomes: Record<string, string> = {};
  const work = async (): Promise<void> => {
    const items = batch(tryon, ids, {
      ...rest,
      id: (id) => id,
      input: () => ({ ...input, ...fields }),
      concurrency: 4,
    });
    for await (const { id, error } of items) {
      outcomes[id] = error === undefined ? "done" : (Object(error) as { code: string }).code;
    }
  };
  await service.run(
    work().catch((error: unknown) => {
      if (!(error instanceof BatchStoppedError)) throw error;
    }),
  );
  return outcomes;
}

async function spent({ mock }: TestService): Promise<number> {
  return 1_000 - ((await mock.ledger(mock.keys.live))?.balance ?? 0);
}

const ids = (count: number, prefix = "sku"): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

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
      const journal = await interruptedAt(service, cut.before);
      const budget = new Budget({ maxCredits: 16 });
      const tryon = service.client(isShared ? { budget } : {});
      service.faults.push(undefined, ...Array(4).fill(cut.before));
      await runBatch(service, ["a"], { journal, budget, tryon });
      expect(budget.toJSON()).toMatchObject({ spent: 0, reserved: 8 });
      await runBatch(service, ["a", "b"], { journal, budget, tryon });
      expect(budget.toJSON()).toMatchObject({ spent: 16, reserved: 0 });
    },
  );

  it.each([
    ["arrived", cut.after],
    ["did not arrive", cut.before],
  ])("keeps room for an item that an earlier run sent and that %s", async (_name, fault) => {
    const service = createService();
    const journal = await interruptedAt(service, fault);
    const budget = new Budget({ maxCredits: 8 });
    expect(await runBatch(service, ["b", "a"], { journal, budget })).toEqual({
      a: "done",
      b: "budget_exceeded",
    });
    expect(budget.toJSON()).toMatchObject({ spent: 8, reserved: 0 });
    expect(await spent(service)).toBe(8);
  });

  it("reserves the price of its size for an item that stays unknown", async () => {
    const service = createService();
    const fields = { output_size: "2K" } as const;
    const journal = await interruptedAt(service, cut.before, fields);
    await service.mock.clock.advance("2h");
    const budget = new Budget({ maxCredits: 24 });
    expect(await runBatch(service, ["a", "b"], { journal, budget, fields })).toEqual({
      a: "outcome_unknown",
      b: "done",
    });
    expect(budget.toJSON()).toMatchObject({ spent: 12, reserved: 12 });
  });

  it("charges an item whose job is found after the key expired", async () => {
    const service = createService();
    const journal = await interruptedAt(service, cut.after);
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
    expect(before.toJSON()).toMatchObject({ spent: 20, reserved: 0 });
    const after = new Budget({ maxCredits: 20 });
    await runBatch(service, ["a"], { journal, budget: after });
    expect(after.toJSON()).toMatchObject({ spent: 8, reserved: 0 });
  });

  it("stops the batch before anything is sent if the journal cannot be listed", async () => {
    const service = createService();
    const journal: Journal = {
      ...memoryJournal(),
      list: () => {
        throw new Error("torn");
      },
    };
    const options = { id: () => "a", journal, budget: { maxCredits: 8 } };
    const stopped = await service.error(all(batch(service.tryon, [input], options)));
    expect(stopped).toMatchObject({ reason: "journal", cause: { message: "torn" } });
    expect(service.sent).toEqual([]);
  });

  it("requires a journal that can be listed", () => {
    // Types cannot stop a program without types.
    const journal = { ...memoryJournal(), list: undefined } as unknown as Journal;
    expect(() =>
      batch(createService().tryon, [input], { id: () => "a", journal, budget: { maxCredits: 8 } }),
    ).toThrow("`list`");
  });
});

/** Returns the journal of a batch that lost every request of item "a". */
async function interruptedAt(
  service: TestService,
  fault: Fault,
  fields: Pick<TryOnFields, "output_size"> = {},
): Promise<MemoryJournal> {
  const journal = memoryJournal();
  // The first two requests ask for the rate limit and the balance.
  const faults = [fault, ...Array<Fault>(3).fill(cut.before)];
  service.faults.push(undefined, undefined, ...faults);
  await runBatch(service, ["a"], { journal, budget: { maxCredits: 80 }, fields });
  service.faults.length = 0;
  expect(journal.entries.get("a")?.state).toBe("sending");
  return journal;
}
