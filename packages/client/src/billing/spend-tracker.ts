import type { Api } from "../api/api.ts";
import type { Config } from "../config/resolve-config.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import type { AccountResponse } from "../generated/openapi.ts";
import { abortable, within, type Deadline } from "../http/deadline.ts";
import type { BudgetLimit, Counted } from "../types/budget.ts";
import { budgetExceeded, budgetOf } from "./budget.ts";
import { Charge, type ChargePlan, type ChargeState, type JobCost } from "./charge.ts";
import { documentPrices, highestPriceOf, readPrices, type Prices } from "./prices.ts";

/** Maximum time to read the prices of the account, in milliseconds. */
const maxReadTime = 30_000;
/** Maximum number of jobs whose charges are kept. */
const maxJobs = 10_000;

/** Counts the credits of a client's submissions in its budgets. */
export class SpendTracker {
  readonly #config: Config;
  readonly #api: Api;
  readonly #unknown = new Set<Charge>();
  /** Charges by job id. */
  readonly #jobs = new Map<string, Charge>();
  #prices: Prices | undefined;
  #reading: Promise<void> | undefined;
  #clientBudget: Counted | undefined;

  constructor(config: Config, api: Api) {
    this.#config = config;
    this.#api = api;
  }

  /** Returns the budgets of a call: the client's, and its own. */
  budgets(option: BudgetLimit | undefined): readonly Counted[] {
    const { budget } = this.#config;
    if (budget) this.#clientBudget ??= budgetOf(budget);
    const own = option && budgetOf(option);
    const budgets = new Set([this.#clientBudget, own].filter((one) => one !== undefined));
    if (own?.countedIn) budgets.delete(own.countedIn);
    return [...budgets];
  }

  /** Prices of the account, once read. */
  get prices(): Prices | undefined {
    return this.#prices;
  }

  updatePrices(account: AccountResponse): void {
    this.#prices = readPrices(account.tryon_cost_credits) ?? this.#prices;
  }

  /** Reserves the credits of a submission. Throws `budget_exceeded` if a budget has no room for them. */
  async reserve(plan: ChargePlan, deadline: Deadline, isRetry = false): Promise<Charge> {
    const { budgets, size } = plan;
    if (budgets.length > 0 && !this.#prices) await this.#readPrices(deadline);
    const credits = highestPriceOf(size, this.#prices ?? documentPrices);
    const full = budgets.find((one) => one.spent + one.reserved + credits > one.maxCredits);
    if (full) throw budgetExceeded(full, credits, isRetry);
    const charge = new Charge(plan, credits, this.#config.clock.now());
    this.#change(charge, "reserved");
    return charge;
  }

  /** Reserves the credits of a submission that is sent again, if it holds none. */
  async reserveAgain(charge: Charge, deadline: Deadline): Promise<Charge> {
    if (charge.state === "unknown") this.#change(charge, "reserved");
    const isVoid = charge.state === "released" && charge.jobId === undefined;
    return isVoid ? this.reserve(charge.plan, deadline, true) : charge;
  }

  /**
   * Records the job of a submission. An earlier submission under its key whose outcome is unknown made the same job, which
   * counts once. If the response is a replay and there is no such submission, another process has paid for the job.
   */
  recordSubmission(charge: Charge, job: JobCost, isReplay: boolean): void {
    if (charge.jobId === undefined) {
      const earlier = this.#unknownUnder(charge.plan.idempotencyKey);
      const known = this.#jobs.get(job.job_id);
      const payer = known ?? earlier[0] ?? (isReplay ? undefined : charge);
      for (const one of new Set([...earlier, charge])) {
        one.jobId = job.job_id;
        if (one !== payer) this.#change(one, "released");
      }
      if (payer && !known) this.#keep(job.job_id, payer);
    }
    this.recordJob(job);
  }

  /** Records the cost of a job that this client submitted. A failed job stays charged. */
  recordJob({ job_id: id, status, cost_credits: cost, test_mode: isTest }: JobCost): void {
    const charge = this.#jobs.get(id);
    if (!charge) return;
    // A client of a proxy does not have the key.
    const isFree = isTest === true || this.#config.apiKey.startsWith("svc_test_");
    const stated = typeof cost === "number" && cost >= 0 ? cost : isFree ? 0 : undefined;
    const hasEnded = status === "succeeded" || status === "failed";
    const isCharged = stated !== undefined || hasEnded || charge.state === "charged";
    this.#change(charge, isCharged ? "charged" : "reserved", stated);
  }

  /** Records a submission that returned no job. Keeps its credits reserved if the service may have made one. */
  recordFailure(charge: Charge, mayHaveMadeJob: boolean): void {
    if (charge.state !== "reserved" || charge.jobId !== undefined) return;
    this.#change(charge, mayHaveMadeJob ? "unknown" : "released");
  }

  /** Returns the charges of a key with an unknown outcome, while the key still returns the same job. */
  #unknownUnder(key: string): Charge[] {
    const since = this.#config.clock.now() - this.#config.idempotencyWindow;
    return [...this.#unknown].filter(
      ({ plan, createdAt }) => plan.idempotencyKey === key && createdAt >= since,
    );
  }

  /** Reads the prices before the first submission with a budget, once. Without them, the document's apply. */
  async #readPrices(deadline: Deadline): Promise<void> {
    this.#reading ??= within(this.#config, {}, maxReadTime, async (limit) => {
      this.updatePrices((await this.#api.getAccount({ deadline: limit })).data);
    }).catch(() => undefined);
    try {
      await abortable(this.#reading, deadline.signal);
    } catch {
      deadline.throwIfAborted();
      throw new ConnectionError("timed_out", "The account was not read in time.", {
        hint: "Nothing was sent: raise timeout.",
      });
    }
  }

  #change(charge: Charge, state: ChargeState, credits?: number): void {
    charge.change(state, credits);
    this.#unknown[state === "unknown" ? "add" : "delete"](charge);
  }

  #keep(jobId: string, charge: Charge): void {
    this.#jobs.set(jobId, charge);
    const [oldest] = this.#jobs.keys();
    if (this.#jobs.size > maxJobs && oldest !== undefined) this.#jobs.delete(oldest);
  }
}
