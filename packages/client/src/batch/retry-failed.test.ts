import { describe, expect, it } from "vitest";

import { isTryOnError } from "../index.ts";
import { makeDigestsInstant } from "../../test/instant-digests.ts";
import { memoryJournal, openDatabase, order, runOrders } from "../../test/memory-journal.ts";
import { collect, createService, input, type TestService } from "../../test/service.ts";
import { batch, type BatchItem, type BatchProgress } from "./index.ts";
import { isRefusal } from "./retry-failed.ts";

makeDigestsInstant();

type Outcome = NonNullable<Parameters<TestService["mock"]["nextJob"]>[0]>["outcome"];

/** Opens a service whose next jobs have these outcomes. */
function serviceWith(...outcomes: readonly Outcome[]): TestService {
  const service = createService();
  for (const outcome of outcomes) service.mock.nextJob({ outcome: outcome ?? "succeeded" });
  return service;
}

async function charges({ mock }: TestService): Promise<number> {
  const entries = (await mock.ledger(mock.keys.live))?.entries ?? [];
  return entries.filter(({ credits }) => credits < 0).length;
}

const outcomeOf = ({ id, status, attempts, error }: BatchItem<unknown>) => [
  id,
  status,
  attempts,
  isTryOnError(error) ? error.code : undefined,
];

const a = order("a");
const twice = { retryFailed: { maxAttempts: 2 } } as const;

describe("retryFailed", () => {
  it("makes another job under another key, and counts each in progress and budget", async () => {
    const service = serviceWith("failed", "storage_failed");
    const journal = { ...memoryJournal(), name: "spring" };
    const seen: BatchProgress[] = [];
    const { read } = await runOrders(service, [a], journal, {
      retryFailed: { maxAttempts: 3 },
      budget: { maxCredits: 24 },
      onProgress: (progress) => seen.push(progress),
    });
    expect(read.map(outcomeOf)).toEqual([["a", "succeeded", 3, undefined]]);
    // A service can refund failed jobs.
    const credits = 1_000 - ((await service.balance()) ?? 0);
    expect(seen).toMatchObject([{ succeeded: 1, failed: 0, notRun: 0, credits }]);
    expect(service.keys().size).toBe(3);
    expect(journal.entries.get("a")).toMatchObject({
      state: "succeeded",
      failedJobs: [{ data: { status: "failed" } }, { data: { status: "failed" } }],
    });
    // Keys derive from the name, so a lost journal pays for nothing again.
    const again = { ...memoryJournal(), name: "spring" };
    const { read: second } = await runOrders(service, [a], again, {
      retryFailed: { maxAttempts: 3 },
    });
    expect(second.map(outcomeOf)).toEqual([["a", "succeeded", 3, undefined]]);
    expect(await charges(service)).toBe(3);
  });

  it("works without a journal, and makes no more than `maxAttempts` jobs", async () => {
    const service = serviceWith("failed", "failed");
    const items = await service.run(collect(batch(service.tryon, [input], twice)));
    expect(items.map(outcomeOf)).toEqual([["0", "failed", 2, "job_failed"]]);
    expect(await charges(service)).toBe(2);
  });

  it.each([
    ["content_blocked", undefined, 1],
    ["model_rejected", undefined, 1],
    ["model_rejected", ["model_rejected"], 2],
    ["failed", ["model_rejected"], 1],
    ["failed", [], 1],
  ] as const)("tries %s again with the codes %j: %i jobs", async (outcome, codes, jobs) => {
    const service = serviceWith(outcome, outcome);
    const { read } = await runOrders(service, [a], memoryJournal(), {
      retryFailed: { maxAttempts: 2, codes },
    });
    expect(read.map(outcomeOf)).toEqual([["a", "failed", jobs, "job_failed"]]);
    expect(await charges(service)).toBe(jobs);
  });

  it("stops at a failed job of `stopOn` only after the last attempt", async () => {
    const service = serviceWith("failed", "failed", "failed");
    const orders = ["a", "b", "c"].map((id) => order(id));
    const { read, error } = await runOrders(service, orders, memoryJournal(), {
      ...twice,
      stopOn: ["job_failed"],
      concurrency: 1,
    });
    expect(read.map(outcomeOf)).toEqual([["a", "failed", 2, "job_failed"]]);
    expect(error).toMatchObject({ code: "batch_stopped" });
    const { read: again } = await runOrders(service, [order("b")], memoryJournal(), {
      ...twice,
      stopOn: ["job_failed"],
    });
    expect(again.map(outcomeOf)).toEqual([["b", "succeeded", 2, undefined]]);
  });

  it("tries an item of an earlier run again, up to `maxAttempts` of all runs", async () => {
    const service = serviceWith("failed", "failed");
    const journal = memoryJournal();
    await runOrders(service, [a], journal);
    for (let run = 0; run < 2; run += 1) {
      const { read } = await runOrders(service, [a], journal, twice);
      expect(read.map(outcomeOf)).toEqual([["a", "failed", 2, "job_failed"]]);
    }
    expect(await charges(service)).toBe(2);
  });

  it.each([
    ["one process", async () => memoryJournal()],
    ["several processes", (service: TestService) => openDatabase(service)()],
  ])(
    "with a journal for %s, counts the failed attempts of earlier runs in the budget, and keeps the item as failed without room",
    async (_which, open) => {
      const service = serviceWith("failed", "failed");
      const journal = await open(service);
      const run = async (maxAttempts: number, maxCredits: number) => {
        const { read } = await runOrders(service, [a], journal, {
          tryon: service.client(),
          retryFailed: { maxAttempts },
          budget: { maxCredits },
        });
        return read.map(outcomeOf)[0];
      };
      expect(await run(3, 16)).toEqual(["a", "failed", 2, "job_failed"]);
      expect(await run(3, 16)).toEqual(["a", "not_run", 2, "budget_exceeded"]);
      expect(await charges(service)).toBe(2);
      // An attempt that was not made is none.
      expect(await run(1, 100)).toEqual(["a", "failed", 2, "job_failed"]);
      expect(await run(3, 23)).toEqual(["a", "not_run", 2, "budget_exceeded"]);
      expect(await run(3, 24)).toEqual(["a", "succeeded", 3, undefined]);
      expect(await charges(service)).toBe(3);
    },
  );

  it("sends nothing for a changed input", async () => {
    const service = serviceWith("failed");
    const journal = memoryJournal();
    await runOrders(service, [a], journal);
    const { read } = await runOrders(service, [order("a", { seed: 7 })], journal, twice);
    expect(read.map(outcomeOf)).toEqual([["a", "failed", 0, "invalid_input"]]);
    expect(await charges(service)).toBe(1);
  });

  it.each([
    [{ maxAttempts: 0 }, "maxAttempts"],
    [{ maxAttempts: 11 }, "maxAttempts"],
    [{ maxAttempts: 1.5 }, "maxAttempts"],
    [{}, "maxAttempts"],
    [3, "maxAttempts"],
    [{ maxAttempts: 2, codes: "failed" }, "codes"],
    [{ maxAttempts: 2, codes: ["content_blocked"] }, "repeated refusals can suspend the key"],
    [{ maxAttempts: 2, codes: ["moderation_flagged"] }, "repeated refusals can suspend the key"],
  ])("rejects %j", (policy, message) => {
    const { tryon } = createService();
    // Programs without types can pass anything.
    const retryFailed = policy as { maxAttempts: number };
    expect(() => batch(tryon, [], { retryFailed })).toThrow(message);
  });

  it("never tries again what refuses content, by any word for it", () => {
    const reasons = ["safety_violation", "NSFW", "prohibited_content", "policy", "blocked"];
    expect(reasons.filter(isRefusal)).toEqual(reasons);
  });
});

it("reports items beyond the limit as not run, and not as failed", async () => {
  const service = createService();
  let last: BatchProgress | undefined;
  const orders = ["a", "b", "c"].map((id) => order(id));
  const { read } = await runOrders(service, orders, memoryJournal(), {
    budget: { maxCredits: 8 },
    onProgress: (progress) => void (last = progress),
  });
  expect(read.map(({ status }) => status).toSorted()).toEqual(
    ["succeeded", ...read.slice(1).map(() => "not_run")].toSorted(),
  );
  expect(read.length).toBeGreaterThan(1);
  expect(last).toMatchObject({ done: 1, succeeded: 1, failed: 0, notRun: read.length - 1 });
});
