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
import { Budget, isTryOnError, type Job, type TryOn } from "../src/index.ts";
import { anyOptions, type ValueOf } from "./fault-scenario.ts";
import { networkFaultNames, networkFaults } from "./network-faults.ts";
import { input, openService, type TestService } from "./service.ts";

/** One call of a program. */
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

/** Runs the programs of a seed, expects what a budget promises of each, and returns a line of totals. */
export async function runBudgetScenarios(seed: number, count: number): Promise<string> {
  const totals = { rejected: 0, charged: 0, unknown: 0, exact: 0 };
  await assert(
    asyncProperty(anyProgram, async (program) => {
      const { violations, ...result } = await new Scenario(program).run();
      expect(violations).toEqual([]);
      totals.rejected += result.rejected;
      totals.charged += result.charged;
      totals.unknown += result.unknown;
      totals.exact += Number(program.settles);
    }),
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

class Scenario {
  readonly #program: Program;
  readonly #service: TestService;
  readonly #budgets: Readonly<Record<"client" | "first" | "second", Budget>>;
  readonly #tryon: TryOn;
  readonly #jobs: Job[] = [];
  readonly #failures = new Set<Failure>();
  #rejected = 0;

  constructor(program: Program) {
    const { options, retries, maxCredits, hasClientBudget } = program;
    const client = new Budget({ maxCredits });
    const half = { maxCredits: Math.ceil(maxCredits / 2) };
    this.#program = program;
    this.#service = openService({ profile: "default", options, latency: "3s", journalLimit: 1 });
    this.#budgets = { client, first: new Budget(half), second: new Budget(half) };
    this.#tryon = this.#service.client({ retries, budget: hasClientBudget ? client : undefined });
  }

  async run() {
    try {
      await this.#submitAll();
      return await this.#check();
    } finally {
      this.#service.mock.close();
    }
  }

  async #submitAll(): Promise<void> {
    const { mock, faults, run } = this.#service;
    const { submissions, settles } = this.#program;
    faults.push(
      ...this.#program.faults.map((name) => (name === null ? undefined : networkFaults[name])),
    );
    await run(Promise.all(submissions.map((submission) => this.#submit(submission))));
    faults.length = 0;
    // Late requests arrive.
    await mock.clock.advance("5m");
    if (settles) for (const failure of this.#failures) await run(this.#recover(failure));
    await mock.clock.advance("10m");
    for (const job of this.#jobs) await run(job.result().catch(() => undefined));
    // Jobs of aborted calls have their costs from the list.
    await run(this.#tryon.jobs.list().toArray());
  }

  async #submit(submission: Submission): Promise<void> {
    const { method, size, outcome, budget, timeout, abortsAfter } = submission;
    const { settles } = this.#program;
    await this.#sleep(submission.startsAt);
    const controller = new AbortController();
    if (abortsAfter !== null && !settles) {
      void this.#sleep(abortsAfter).then(() => controller.abort());
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
      ...(budget === "none" ? {} : { budget: this.#budgets[budget] }),
    };
    try {
      this.#jobs.push(
        method === "submit"
          ? await this.#tryon.submit(fields, options)
          : (await this.#tryon.run(fields, options)).job,
      );
    } catch (error) {
      const { job, recover } = Object(error) as Partial<Failure> & { job?: Job };
      if (job) this.#jobs.push(job);
      if (isTryOnError(error, "budget_exceeded")) this.#rejected += 1;
      else if (!job) await this.#follow({ submission, recover });
    }
  }

  async #follow(failure: Failure): Promise<void> {
    this.#failures.add(failure);
    const { recoversAfter } = failure.submission;
    if (recoversAfter === null || !failure.recover) return;
    const minutes = this.#program.settles ? Math.min(recoversAfter, 5) : recoversAfter;
    await this.#sleep(minutes * 60);
    // A program may recover twice at the same time.
    await Promise.all([this.#recover(failure), this.#recover(failure)]);
  }

  async #recover(failure: Failure): Promise<void> {
    if (!failure.recover) return;
    try {
      this.#jobs.push(await failure.recover());
      this.#failures.delete(failure);
    } catch (error) {
      const { job } = Object(error) as { job?: Job };
      if (job) this.#jobs.push(job);
    }
  }

  async #check() {
    const { settles, hasClientBudget } = this.#program;
    const { mock, client, run } = this.#service;
    const { entries = [] } = (await mock.ledger(mock.keys.live)) ?? {};
    const jobs = await run(client().jobs.list({ limit: 50 }).toArray());
    const budgetOf = new Map(jobs.map(({ id, data }) => [id, data.metadata?.["budget"]]));
    const violations: string[] = [];
    let unknown = 0;
    for (const name of ["client", "first", "second"] as const) {
      if (name === "client" && !hasClientBudget) continue;
      const { spent, reserved, maxCredits } = this.#budgets[name];
      const counts = (budget: unknown): boolean => name === "client" || budget === name;
      const charged = creditsOf(
        entries.filter(
          ({ cause, jobId }) => cause === "tryon" && counts(budgetOf.get(jobId ?? "")),
        ),
      );
      const open = [...this.#failures].filter(({ submission }) => counts(submission.budget));
      const price = open.reduce((sum, { submission }) => sum + documentPrices[submission.size], 0);
      unknown += reserved;
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
        violations.push(`${name} budget ${promise}: ${figures}`);
      }
    }
    const all = creditsOf(entries.filter(({ cause }) => cause === "tryon"));
    return { violations, rejected: this.#rejected, charged: all, unknown };
  }

  #sleep(seconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.#service.mock.clock.setTimeout(resolve, seconds * 1_000);
    });
  }
}

function creditsOf(entries: readonly { readonly credits: number }[]): number {
  return entries.reduce((sum, { credits }) => sum + Math.abs(credits), 0);
}
