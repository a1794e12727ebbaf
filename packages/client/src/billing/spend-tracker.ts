import type { JobData } from "../types/job.ts";
import { budgetExceeded } from "./budget-exceeded.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import type { AccountResponse } from "../generated/openapi.ts";
import type { Api } from "../api/api.ts";
import type { Config } from "../config/resolve-config.ts";
import { abortable, within, type Deadline } from "../http/deadline.ts";
import { Balance, type Mark } from "./balance.ts";
import type { BudgetLimit, Counted } from "./budget-limit.ts";
import { budgetOf } from "./counted-budget.ts";
import {
  Charge,
  nextState,
  noShares,
  type ChargePlan,
  type ChargeState,
  type Shares,
} from "./charge.ts";
import { documentPrices, highestPriceOf, readPrices, type Prices } from "./prices.ts";

/** How long the account is asked for in the name of whoever needs it, in milliseconds. */
const longestAsk = 30_000;
/** How long after a request was sent it may still arrive, in milliseconds: nothing on the way keeps one for longer. */
const longestWay = 600_000;
/** How many jobs are remembered, to hear of their ends and to tell one that comes again. */
const mostRemembered = 10_000;

/** What one book counts of one budget. */
interface Part {
  loose: number;
  doubt: number;
  /** What the balance has shown to have come back. */
  released: number;
}

/** Counts the credits that a client's try-ons take, for its budgets. */
export class SpendTracker {
  readonly #config: Config;
  readonly #api: Api;
  readonly #balance = new Balance();
  readonly #open = new Set<Charge>();
  readonly #unknown = new Set<Charge>();
  readonly #budgets = new WeakMap<Counted, Part>();
  /** Charges by the ids of their jobs. */
  readonly #jobs = new Map<string, Charge>();
  #prices: Prices | undefined;
  #asked: Promise<void> | undefined;
  #own: Counted | undefined;

  constructor(config: Config, api: Api) {
    this.#config = config;
    this.#api = api;
  }

  /** The client's budget and that of a call, where there are any. */
  budgets(option: BudgetLimit | undefined): readonly Counted[] {
    const { budget } = this.#config;
    if (budget) this.#own ??= budgetOf(budget);
    return [...new Set([this.#own ?? [], option ? budgetOf(option) : []].flat())];
  }

  /** What an account says of prices, if it has been asked. */
  get prices(): Prices | undefined {
    return this.#prices;
  }

  /** Takes an account that somebody has asked for. */
  learn(account: AccountResponse): void {
    this.#prices = readPrices(account.tryon_cost_credits) ?? this.#prices;
  }

  /**
   * Counts a submission that is about to be sent, for the first time or `again`; throws `budget_exceeded` when that would be
   * too much.
   */
  async begin(plan: ChargePlan, deadline: Deadline, again = false): Promise<Charge> {
    const { budgets, size } = plan;
    if (budgets.length > 0) await this.#introduce(deadline);
    const credits = highestPriceOf(size, this.#prices ?? documentPrices);
    for (;;) {
      const full = budgets.find((one) => one.spent + one.reserved + credits > one.maxCredits);
      if (!full) return this.#add(plan, credits);
      const released = await this.#race(this.#release(full), deadline);
      if (!released) throw budgetExceeded(full, credits, again);
    }
  }

  /** Counts a submission that is about to be sent once more, as a new one where the earlier one has been given up. */
  async again(charge: Charge, deadline: Deadline): Promise<Charge> {
    if (charge.state === "free" || charge.state === "lost") {
      return this.begin({ ...charge.plan, ownKey: true }, deadline, true);
    }
    if (charge.state === "unknown") this.#move(charge, "open");
    charge.sentAt = this.#now;
    return charge;
  }

  /** Takes the answer to a submission. `replayed` says that its job was there before it was first sent. */
  answered(charge: Charge, data: JobData, replayed: boolean): void {
    const { state, plan } = charge;
    if (state === "open" || state === "unknown") {
      const { idempotencyWindow } = this.#config;
      const since = this.#now - idempotencyWindow;
      // The same key makes the same job as long as the service has not forgotten it.
      const earlier = [...this.#unknown].find(
        (one) =>
          one !== charge && one.plan.idempotencyKey === plan.idempotencyKey && one.sentAt >= since,
      );
      if (earlier) this.#move(earlier, "counted");
      const known = this.#jobs.has(data.job_id) || (replayed && !earlier);
      this.#move(charge, known ? "counted" : "accepted");
      if (!known) this.#remember(data.job_id, charge);
    }
    this.hear(data);
  }

  /** Takes what the service says of a job. */
  hear({ job_id: id, status, cost_credits: cost, test_mode: test }: JobData): void {
    const charge = this.#jobs.get(id);
    if (!charge) return;
    // Clients of a proxy do not know the key.
    const isTest = test === true || this.#config.apiKey.startsWith("svc_test_");
    const known = typeof cost === "number" && cost >= 0 ? cost : isTest ? 0 : undefined;
    this.#move(charge, nextState(charge.state, status, known !== undefined), known);
  }

  /** Takes the end of a call that gave no job. */
  failed(charge: Charge, mayBeMade: boolean): void {
    if (charge.state !== "open") return;
    charge.sentAt = this.#now;
    this.#move(charge, mayBeMade ? "unknown" : "free");
  }

  /** Takes what a purchase may add to the balance, or that it did not, and how much of it may still come. */
  bought(credits: number, due: number): void {
    this.#balance.buy(credits, due);
  }

  /** What has been taken for certain, to be told when a balance is marked that the service says from now on. */
  get certainlyTaken(): number {
    return this.#balance.certainlyTaken(this.#pending());
  }

  /** Where the key stands, to be compared with a later balance. */
  mark(balance: number, certainlyTaken: number): Mark {
    const mark = this.#balance.mark(balance);
    return { ...mark, doubtful: mark.taken - certainlyTaken };
  }

  /** Whether a balance shows that so many bought credits have come since a mark. */
  shows(credits: number, mark: Mark, balance: number): boolean {
    return this.#balance.shows(credits, mark, balance, this.#pending());
  }

  get #now(): number {
    return this.#config.clock.now();
  }

  #pending(): readonly Charge[] {
    return [...this.#open, ...this.#unknown];
  }

  /** Asks for prices and balance before the first submission that has a budget; goes on without them where there are none. */
  async #introduce(deadline: Deadline): Promise<void> {
    this.#asked ??= this.#account().then(
      (balance) => this.#balance.begin(balance),
      () => undefined,
    );
    await this.#race(this.#asked, deadline);
  }

  /** Asks for the account, takes its prices and gives the balance. */
  readonly #account = async (): Promise<number> => {
    const ask = (deadline: Deadline) => this.#api.getAccount({ deadline });
    const { data: account } = await within(this.#config, {}, longestAsk, ask);
    this.learn(account);
    return account.credits_remaining;
  };

  /** Work that is done for several calls, within the limits of one of them. */
  async #race<Result>(work: Promise<Result>, deadline: Deadline): Promise<Result> {
    try {
      return await abortable(work, deadline.signal);
    } catch (error) {
      deadline.throwIfAborted();
      if (!deadline.passed) throw error;
      throw new ConnectionError("timed_out", "The account was not read in time.", {
        hint: "Nothing was sent: raise timeout.",
      });
    }
  }

  #add(plan: ChargePlan, credits: number): Charge {
    const early = !this.#balance.known;
    const charge = new Charge(plan, { credits, sentAt: this.#now, early });
    this.#changed(charge, noShares);
    return charge;
  }

  #move(charge: Charge, state: ChargeState, credits = charge.credits): void {
    const before = charge.sums;
    charge.state = state;
    charge.credits = credits;
    this.#changed(charge, before);
  }

  #changed(charge: Charge, before: Shares): void {
    const { sums, state, plan } = charge;
    this.#open[state === "open" ? "add" : "delete"](charge);
    this.#unknown[state === "unknown" ? "add" : "delete"](charge);
    this.#balance.take(charge, before);
    for (const budget of plan.budgets) {
      const part = this.#part(budget);
      part.loose += sums.loose - before.loose;
      part.doubt += sums.doubt - before.doubt;
      budget.count(sums.spent - before.spent, sums.reserved - before.reserved);
    }
  }

  #part(budget: Counted): Part {
    const part = this.#budgets.get(budget) ?? { loose: 0, doubt: 0, released: 0 };
    this.#budgets.set(budget, part);
    return part;
  }

  #remember(job: string, charge: Charge): void {
    this.#jobs.set(job, charge);
    const [oldest] = this.#jobs.keys();
    if (this.#jobs.size > mostRemembered && oldest !== undefined) this.#jobs.delete(oldest);
  }

  /** Gives back to a budget what the balance shows to have come back. Gives false when that is nothing. */
  async #release(budget: Counted): Promise<boolean> {
    const part = this.#part(budget);
    for (const charge of this.#unknown) {
      if (this.#now - charge.sentAt > longestWay) this.#move(charge, "lost");
    }
    // Others may go on to submit, and hide anew what came back: two looks have to do.
    for (let looks = 0; looks <= 2; looks += 1) {
      // What came back may have come back to others than this budget.
      const certain = this.#balance.surplus - (this.#balance.loose - part.loose);
      const more = Math.min(certain, part.doubt) - part.released;
      if (more > 0) {
        part.released += more;
        budget.count(-more, 0);
        return true;
      }
      if (part.doubt <= part.released || !this.#balance.stale) return false;
      if (!(await this.#balance.look(this.#pending(), this.#account))) return false;
    }
    return false;
  }
}
