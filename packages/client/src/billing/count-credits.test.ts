import { cases, seed } from "@tryon/test-kit/cases";
import { array, assert, asyncProperty, boolean, constantFrom, integer, record } from "fast-check";
import { describe, expect, it } from "vitest";

import { makeDigestsInstant } from "../../test/instant-digests.ts";
import { memoryJournal, order, runOrders } from "../../test/memory-journal.ts";
import { createService, input, openService, type TestService } from "../../test/service.ts";
import { Budget } from "../index.ts";

makeDigestsInstant();

/** Status and cost that a response states of a job. */
interface Statement {
  readonly status: string;
  readonly cost: unknown;
}

const noCosts = [undefined, null, -1, -80, 0.5, Number.NaN, 1e300, "0", "8", false, [], {}];
const anyStatement = record({
  status: constantFrom("queued", "running", "SUCCEEDED", "done", ""),
  cost: constantFrom(0, 0, 1, 8, 20, 400, ...noCosts),
});

/**
 * Returns a client whose service states, of running jobs, what the list says, and of ended jobs the true cost. If `hasCosts`
 * is false, ended jobs have no cost.
 */
function createClient(service: TestService, statements: readonly Statement[], hasCosts = true) {
  let count = 0;
  const state = (job: Record<string, unknown>): object => {
    if (job["job_id"] === undefined) return job;
    const statement = statements[(count += 1) % statements.length];
    if (job["status"] === "succeeded" || job["status"] === "failed") {
      return hasCosts ? job : { ...job, cost_credits: statement?.cost === 0 ? -1 : null };
    }
    return { ...job, status: statement?.status, cost_credits: statement?.cost };
  };
  return service.client({
    fetch: async (url, init) => {
      const response = await service.fetch(url, init);
      const { status, headers } = response;
      if (status !== 200) return response;
      const body: Record<string, unknown> = await response.json();
      const { jobs } = body;
      const stated = Array.isArray(jobs) ? { ...body, jobs: jobs.map(state) } : state(body);
      return Response.json(stated, { headers });
    },
  });
}

async function chargedBy({ mock }: TestService): Promise<number> {
  const { entries = [] } = (await mock.ledger(mock.keys.live)) ?? {};
  return entries.reduce((sum, { credits }) => sum - Math.min(0, credits), 0);
}

describe("whatever a service states of running jobs", () => {
  const anyProgram = record({
    statements: array(anyStatement, { minLength: 1, maxLength: 8 }),
    sizes: array(constantFrom("1K", "2K", "4K"), { minLength: 2, maxLength: 8 }),
    maxCredits: integer({ min: 0, max: 60 }),
    hasCosts: boolean(),
  });

  it("a budget allows no more than its limit, and counts every charge", async () => {
    const program = asyncProperty(anyProgram, async (given) => {
      const { statements, sizes, maxCredits, hasCosts } = given;
      const service = openService({ latency: "40s" });
      const budget = new Budget({ maxCredits });
      const tryon = createClient(service, statements, hasCosts);
      const jobs = [];
      for (const size of sizes) {
        const submitting = tryon.submit({ ...input, output_size: size }, { budget });
        const job = await service.run(submitting.catch(() => undefined));
        if (job) jobs.push(job);
        // The service may not show a new job yet.
        for (const { id } of jobs) await service.run(tryon.jobs.get(id).catch(() => undefined));
        const charged = await chargedBy(service);
        expect(charged).toBeLessThanOrEqual(maxCredits);
        expect(budget.spent + budget.reserved).toBeGreaterThanOrEqual(charged);
        await service.mock.clock.advance("5s");
      }
      for (const job of jobs) await service.run(job.result().catch(() => undefined));
      const charged = await chargedBy(service);
      expect(hasCosts ? budget.spent : Math.min(budget.spent, charged)).toBe(charged);
      expect(budget.reserved).toBe(0);
      service.mock.close();
    });
    await assert(program, { seed, numRuns: cases(100), endOnFailure: true });
  });

  it.each([0, -1, 0.5, 1e300])("the runs of a batch keep to its limit (%j)", async (cost) => {
    const service = createService({ latency: "10m" });
    const journal = memoryJournal();
    for (const count of [1, 2, 3, 6]) {
      const tryon = createClient(service, [{ status: "running", cost }]);
      const orders = Array.from({ length: count }, (_, index) => order(`${index}`));
      const options = { budget: { maxCredits: 20 }, timeout: "20s", tryon } as const;
      await runOrders(service, orders, journal, options);
    }
    expect(await chargedBy(service)).toBe(16);
    await service.mock.clock.advance("10m");
    const budget = new Budget({ maxCredits: 16 });
    const orders = [order("0"), order("1")];
    await runOrders(service, orders, journal, { budget, tryon: service.client() });
    expect(budget).toMatchObject({ spent: 16, reserved: 0 });
  });

  it("the items of a test key are free in all runs", async () => {
    const service = createService({ latency: "10m", options: { sparseSubmit: true } });
    const journal = memoryJournal();
    for (const orders of [[order("a")], [order("a"), order("b")]]) {
      const budget = new Budget({ maxCredits: 8 });
      const tryon = service.client({ apiKey: service.mock.keys.test });
      await runOrders(service, orders, journal, { budget, tryon, timeout: "20s" });
      expect(budget).toMatchObject({ spent: 0, reserved: 0 });
    }
    expect(service.submissions()).toHaveLength(2);
  });
});
