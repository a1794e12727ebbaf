import {
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  integer,
  option,
  record,
} from "fast-check";
import { expect } from "vitest";

import { documentPrices } from "../src/billing/prices.ts";
import { Budget, isTryOnError, type Job } from "../src/index.ts";
import { anyOptions, networkFaultNames, networkFaults, type ValueOf } from "./fault-scenario.ts";
import { input, openService } from "./service.ts";

const anySubmission = record({
  method: constantFrom("run", "submit"),
  size: constantFrom("1K", "2K", "4K"),
  outcome: constantFrom("fine", "fine", "content_blocked", "model_rejected", "storage_failed"),
  // Budget of the call, in addition to the client's.
  budget: constantFrom("none", "first", "second"),
  // If true, equal calls have the same idempotency key.
  sharesKey: boolean(),
  // Start, and time until the caller aborts, in seconds.
  startsAt: integer({ min: 0, max: 30 }),
  abortsAfter: option(integer({ min: 0, max: 4 }), { freq: 4 }),
  timeout: constantFrom("10s", "2m", "10m"),
  // Time from a failure until the caller recovers, in minutes.
  recoversAfter: option(constantFrom(0, 5, 15, 45, 150)),
});

/** Programs that submit try-ons under budgets, and the faults of their requests. */
const anyProgram = record({
  options: anyOptions,
  maxCredits: integer({ min: 0, max: 120 }),
  hasClientBudget: boolean(),
  // If true, no call is aborted, and the program recovers every unknown outcome.
  settles: boolean(),
  submissions: array(anySubmission, { minLength: 1, maxLength: 12 }),
  faults: array(option(constantFrom(...networkFaultNames), { freq: 2 }), { maxLength: 14 }),
  retries: constantFrom(0, 1, 3),
});

type Submission = ValueOf<typeof anySubmission>;
type Program = ValueOf<typeof anyProgram>;

const noTotals = { rejected: 0, charged: 0, unknown: 0, exact: 0 };

/** Runs the programs of a seed, expects what a budget promises of each, and returns a line of totals. */
export async function runBudgetScenarios(seed: number, count: number): Promise<string> {
  const totals = { ...noTotals };
  await assert(
    asyncProperty(anyProgram, (program) => runProgram(program, totals)),
    // A smaller program rarely fails in the same way.
    { seed, numRuns: count, endOnFailure: true },
  );
  for (const total of Object.values(totals)) expect(total).toBeGreaterThan(count / 10);
  const { rejected, charged, unknown, exact } = totals;
  return `${count} programs (seed ${seed}): ${charged} credits charged, ${unknown} reserved for unknown outcomes, ${rejected} try-ons rejected, ${exact} programs counted to the credit`;
}

/** Call that ended without a job. */
interface Failure {
  readonly submission: Submission;
  readonly recover: (() => Promise<Job>) | undefined;
}

async function runProgram(program: Program, totals: typeof noTotals): Promise<void> {
  const { retries, hasClientBudget, submissions, settles } = program;
  const server = { options: program.options, latency: "3s", journalLimit: 1 } as const;
  const service = openService({ profile: "default", ...server }, {}, true);
  const { mock, faults, run } = service;
  const half = { maxCredits: Math.ceil(program.maxCredits / 2) };
  const budgets = {
    client: new Budget({ maxCredits: program.maxCredits }),
    first: new Budget(half),
    second: new Budget(half),
  };
  const tryon = service.client({ retries, budget: hasClientBudget ? budgets.client : undefined });
  const jobs: Job[] = [];
  const failures = new Set<Failure>();
  try {
    await submitAll();
    expect(await violations()).toEqual([]);
  } finally {
    service.close();
  }

  async function submitAll(): Promise<void> {
    faults.push(...program.faults.map((name) => (name === null ? undefined : networkFaults[name])));
    await run(Promise.all(submissions.map((submission) => submit(submission))));
    faults.length = 0;
    // Late requests arrive.
    await mock.clock.advance("5m");
    if (settles) for (const failure of failures) await run(recoverJob(failure));
    await mock.clock.advance("10m");
    for (const job of jobs) await run(job.result().catch(() => undefined));
    // Jobs of aborted calls have their costs from the list.
    await run(tryon.jobs.list().toArray());
  }

  async function submit(submission: Submission): Promise<void> {
    const { method, size, outcome, budget, timeout, abortsAfter } = submission;
    await sleep(submission.startsAt);
    const controller = new AbortController();
    if (abortsAfter !== null && !settles) {
      void sleep(abortsAfter).then(() => controller.abort());
    }
    const fields = {
      ...input,
      output_size: size,
      metadata: { budget },
      ...(outcome === "fine" ? {} : { prompt: `mock:${outcome}` }),
    };
    const options = {
      timeout,
      signal: controller.signal,
      // The timeout decides `wait`, which is part of the body.
      ...(submission.sharesKey
        ? { idempotencyKey: [size, outcome, budget, method, timeout].join(" ") }
        : {}),
      ...(budget === "none" ? {} : { budget: budgets[budget] }),
    };
    try {
      jobs.push(
        method === "submit"
          ? await tryon.submit(fields, options)
          : (await tryon.run(fields, options)).job,
      );
    } catch (error) {
      const { job, recover } = Object(error) as Partial<Failure> & { job?: Job };
      if (job) jobs.push(job);
      if (isTryOnError(error, "budget_exceeded")) totals.rejected += 1;
      else if (!job) await follow({ submission, recover });
    }
  }

  async function follow(failure: Failure): Promise<void> {
    failures.add(failure);
    const { recoversAfter } = failure.submission;
    if (recoversAfter === null) return;
    await sleep(60 * Math.min(recoversAfter, settles ? 5 : recoversAfter));
    // A program may recover twice at the same time.
    await Promise.all([recoverJob(failure), recoverJob(failure)]);
  }

  async function recoverJob(failure: Failure): Promise<void> {
    if (!failure.recover) return;
    try {
      jobs.push(await failure.recover());
      failures.delete(failure);
    } catch (error) {
      const { job } = Object(error) as { job?: Job };
      if (job) jobs.push(job);
    }
  }

  /** Returns the promises of a budget that the program broke. */
  async function violations(): Promise<string[]> {
    const { entries = [] } = (await mock.ledger(mock.keys.live)) ?? {};
    const charges = entries.filter(({ cause }) => cause === "tryon");
    const listed = await run(service.client().jobs.list({ limit: 50 }).toArray());
    const budgetOf = new Map(listed.map(({ id, data }) => [id, data.metadata?.["budget"]]));
    const broken: string[] = [];
    for (const name of ["client", "first", "second"] as const) {
      if (name === "client" && !hasClientBudget) continue;
      const { spent, reserved, maxCredits } = budgets[name];
      const counts = (budget: unknown): boolean => name === "client" || budget === name;
      const charged = creditsOf(charges.filter(({ jobId }) => counts(budgetOf.get(jobId ?? ""))));
      const open = [...failures].filter(({ submission }) => counts(submission.budget));
      const price = open.reduce((sum, { submission }) => sum + documentPrices[submission.size], 0);
      totals.unknown += reserved;
      const promises = {
        "charges no more than the limit": charged <= maxCredits,
        "counts all charges": charged <= spent + reserved,
        "spends only what is charged": spent <= charged,
        "reserves only for calls without a job": spent + reserved <= charged + price,
        "counts to the credit": !settles || (spent === charged && reserved === 0),
      };
      for (const [promise, isKept] of Object.entries(promises)) {
        if (isKept) continue;
        const figures = `${charged} of ${maxCredits} charged, ${spent} spent, ${reserved} reserved`;
        broken.push(`${name} budget ${promise}: ${figures}`);
      }
    }
    totals.charged += creditsOf(charges);
    totals.exact += Number(settles);
    return broken;
  }

  function sleep(seconds: number): Promise<void> {
    return new Promise((resolve) => {
      mock.clock.setTimeout(resolve, seconds * 1_000);
    });
  }
}

function creditsOf(entries: readonly { readonly credits: number }[]): number {
  return entries.reduce((sum, { credits }) => sum + Math.abs(credits), 0);
}
