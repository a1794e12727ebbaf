import { getAccount } from "../api/account-requests.ts";
import type { Api } from "../api/api.ts";
import { ageSince } from "../config/clock.ts";
import type { Config } from "../config/resolve-config.ts";
import { BudgetError } from "../errors/refusal-errors.ts";
import { inTime, within, type Deadline } from "../http/deadline.ts";
import type { Counted } from "../types/budget.ts";
import type { JobData } from "../types/job.ts";
import { countCredits, isTestKey, type CountedCredits } from "./count-credits.ts";
import { documentPrices, highestPriceOf, readPrices, type Costs, type Prices } from "./prices.ts";

const maxReadTime = 30_000;
const maxCharges = 10_000;

export interface ChargePlan {
  readonly size: string;
  readonly idempotencyKey: string;
  /** Budget of the call. The client's applies in addition. */
  readonly budget: Counted | undefined;
}

export class Charge implements CountedCredits {
  /** Returns the time since before the first submission. */
  readonly age: () => number;
  readonly spent: number = 0;
  readonly reserved: number;
  budgets: readonly Counted[] = [];
  /** Number of submissions in flight, and of those that may have made the job. */
  readonly submissions: number = 0;
  readonly hasJob: boolean = false;

  constructor(price: number, age: () => number) {
    this.reserved = price;
    this.age = age;
  }

  update(changes: Partial<Charge>): void {
    this.#count(-1);
    Object.assign(this, changes);
    if (this.submissions === 0) this.budgets = [];
    this.#count(1);
  }

  #count(sign: 1 | -1): void {
    for (const budget of this.budgets) budget.count(sign * this.spent, sign * this.reserved);
  }
}

/** Counts the credits of submissions. A submission that is not counted has no charge. */
export interface SpendCounter {
  costs(deadline: Deadline): Promise<Costs>;
  reserve(plan: ChargePlan, deadline: Deadline, earlier?: Charge): Promise<Charge | undefined>;
  recordFound(charge: Charge, data: JobData): void;
  recordJob(job: JobData): void;
  recordNoJob(charge: Charge): void;
}

export class SpendTracker implements SpendCounter {
  readonly #config: Config;
  readonly #api: Api;
  readonly #budget: Counted | undefined;
  readonly #keys = new Map<string, Charge>();
  readonly #jobs = new Map<string, Charge>();
  #prices: Prices | undefined;
  #reading: Promise<Costs> | undefined;

  constructor(config: Config, api: Api, budget: Counted | undefined) {
    this.#config = config;
    this.#api = api;
    this.#budget = budget;
  }

  /** Returns the prices of the account, which is read once, or those of the document while it cannot be read. */
  async costs(deadline: Deadline): Promise<Costs> {
    try {
      this.#prices ??= readPrices((await getAccount(this.#api, { deadline })).data);
    } catch {
      deadline.throwIfAborted();
    }
    return this.#prices
      ? { costs: this.#prices, source: "account" }
      : { costs: documentPrices, source: "document" };
  }

  /**
   * Reserves the credits of a submission, or of a retry of an earlier charge. Throws `budget_exceeded` if a budget has no
   * room for them.
   */
  async reserve(plan: ChargePlan, deadline: Deadline, earlier?: Charge): Promise<Charge> {
    const own = plan.budget;
    const limits = [...new Set([this.#budget, own])].flatMap((one) =>
      one && one !== own?.countedIn ? one : [],
    );
    if (limits.length > 0 && !this.#prices) await this.#readPrices(deadline);
    const charge = earlier ?? this.#chargeUnder(plan);
    const { budgets, submissions } = charge;
    const credits = charge.spent + charge.reserved;
    // If the job is known, its key makes no other.
    const added = charge.hasJob ? [] : limits.filter((one) => !budgets.includes(one));
    const full = added.find((one) => one.spent + one.reserved + credits > one.maxCredits);
    if (full) throw new BudgetError(full, credits, earlier !== undefined);
    charge.update({ submissions: submissions + 1, budgets: [...budgets, ...added] });
    return charge;
  }

  recordFound(charge: Charge, { job_id: id }: JobData): void {
    const counted = this.#jobs.get(id) ?? charge;
    charge.update({ hasJob: true, budgets: counted === charge ? charge.budgets : [] });
    keep(this.#jobs, id, counted);
  }

  /** Records what a response states of a job that this client submitted. A failed job stays charged. */
  recordJob(job: JobData): void {
    const charge = this.#jobs.get(job.job_id);
    charge?.update(countCredits(charge, job, isTestKey(this.#config.apiKey)));
  }

  /** Records a submission that made no job. Its credits are released, unless the charge has another submission. */
  recordNoJob(charge: Charge): void {
    charge.update({ submissions: charge.submissions - 1 });
  }

  /** Returns the charge of a key: a new one if the service may have forgotten the key, or its job is known. */
  #chargeUnder({ idempotencyKey, size }: ChargePlan): Charge {
    const shared = this.#keys.get(idempotencyKey);
    const isShared = shared && shared.age() <= this.#config.idempotencyWindow;
    if (isShared && !shared.hasJob) return shared;
    const charge = new Charge(
      highestPriceOf(size, this.#prices ?? documentPrices),
      ageSince(this.#config.clock),
    );
    keep(this.#keys, idempotencyKey, charge);
    return charge;
  }

  /** Reads the prices before the first submission with a budget, once. Without them, the document's apply. */
  async #readPrices(deadline: Deadline): Promise<void> {
    this.#reading ??= within(this.#config, {}, maxReadTime, (limit) => this.costs(limit));
    await inTime(this.#reading, deadline, "The account was not read in time.");
  }
}

function keep(charges: Map<string, Charge>, name: string, charge: Charge): void {
  charges.set(name, charge);
  const [oldest] = charges.keys();
  if (charges.size > maxCharges && oldest !== undefined) charges.delete(oldest);
}
