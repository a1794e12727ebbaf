import { budgetExceeded } from "./budget-exceeded.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import type { AccountResponse } from "../generated/openapi.ts";
import type { JobData } from "../jobs/job-data.ts";
import type { Parts } from "../jobs/job-life.ts";
import { abortable, within, type Deadline } from "../transport/deadline.ts";
import { heldBy, surplusOf, type Mark } from "./balance-watch.ts";
import type { BudgetLimit, Counted } from "./budget-limit.ts";
import { budgetOf } from "./counted-budget.ts";
import { Charge, nextState, type ChargePlan, type ChargeState, type Shares } from "./charge.ts";
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
export class CreditBook {
  readonly #parts: Parts;
  readonly #open = new Set<Charge>();
  readonly #unknown = new Set<Charge>();
  readonly #budgets = new WeakMap<Counted, Part>();
  /** Charges by the ids of their jobs. */
  readonly #jobs = new Map<string, Charge>();
  #prices: Prices | undefined;
  #asked: Promise<void> | undefined;
  #mark: Mark | undefined;
  #taken = 0;
  #loose = 0;
  /** What purchases may have added to the balance. */
  #bought = 0;
  /** What of that may not be there yet. */
  #due = 0;
  #own: Counted | undefined;
  /** Whether something has changed that another look at the balance would show. */
  #stale = false;
  /** What had come back for certain by the last look. */
  #surplus = Number.NEGATIVE_INFINITY;
  #look: Promise<boolean> | undefined;
  /** What was under way at some moment of the look that is going on. */
  #touched: Set<Charge> | undefined;
  /** What was under way at the last look and hid what had come back. */
  #hiding = new Set<Charge>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The client's budget and that of a call, where there are any. */
  budgets(option: BudgetLimit | undefined): readonly Counted[] {
    const { budget } = this.#parts.settings();
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

  /** Counts a submission that is about to be sent; throws `budget_exceeded` when that would be too much. */
  async begin(plan: ChargePlan, deadline: Deadline): Promise<Charge> {
    const { budgets, size } = plan;
    if (budgets.length > 0) await this.#introduce(deadline);
    const credits = highestPriceOf(size, this.#prices ?? documentPrices);
    for (;;) {
      const full = budgets.find((one) => one.spent + one.reserved + credits > one.maxCredits);
      if (!full) return this.#add(plan, credits);
      const released = await this.#race(this.#release(full), deadline);
      if (!released) throw budgetExceeded(full, credits);
    }
  }

  /** Counts a submission that is about to be sent once more, as a new one where the earlier one has been given up. */
  async again(charge: Charge, deadline: Deadline): Promise<Charge> {
    if (charge.state === "free" || charge.state === "lost") {
      return this.begin({ ...charge.plan, ownKey: true }, deadline);
    }
    if (charge.state === "unknown") this.#move(charge, "open");
    charge.sentAt = this.#now;
    return charge;
  }

  /** Takes the answer to a submission. `replayed` says that its job was there before it was first sent. */
  answered(charge: Charge, data: JobData, replayed: boolean): void {
    const { state, plan } = charge;
    if (state === "open" || state === "unknown") {
      const { replaySafeFor } = this.#parts.settings();
      const since = this.#now - replaySafeFor;
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
  hear({ job_id: id, status, cost_credits: cost }: JobData): void {
    const charge = this.#jobs.get(id);
    if (!charge) return;
    const isTest = this.#parts.settings().apiKey.startsWith("svc_test_");
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
    this.#bought += credits;
    this.#due += due;
    this.#stale = true;
  }

  /** Where the key stands, to be compared with a later balance. */
  mark(balance: number): Mark {
    return { balance, taken: this.#taken, bought: this.#bought - this.#due };
  }

  /** By how much a balance is certain to be higher than what was taken and bought since a mark would make it. */
  addedSince(mark: Mark, balance: number): number {
    const now = { taken: this.#taken, bought: this.#bought };
    return surplusOf(balance, mark, now) - heldBy(this.#pending()) - this.#loose;
  }

  get #now(): number {
    return this.#parts.settings().clock.now();
  }

  #pending(): Set<Charge> {
    return new Set([...this.#open, ...this.#unknown]);
  }

  /** Asks for prices and balance before the first submission that has a budget; goes on without them where there are none. */
  async #introduce(deadline: Deadline): Promise<void> {
    this.#asked ??= this.#account().then(
      ({ credits_remaining: balance }) => this.#begins(balance),
      () => undefined,
    );
    await this.#race(this.#asked, deadline);
  }

  async #account(): Promise<AccountResponse> {
    const { settings, service } = this.#parts;
    const ask = (deadline: Deadline) => service.account({ deadline });
    const account = await within(settings(), {}, longestAsk, ask);
    this.learn(account);
    return account;
  }

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

  #begins(balance: unknown): void {
    if (Number.isFinite(balance)) this.#mark = this.mark(Number(balance));
  }

  #add(plan: ChargePlan, credits: number): Charge {
    const charge = new Charge(plan, {
      credits,
      sentAt: this.#now,
      early: this.#mark === undefined,
    });
    this.#open.add(charge);
    this.#touched?.add(charge);
    this.#sum(charge, charge.sums, 1);
    return charge;
  }

  #move(charge: Charge, state: ChargeState, credits = charge.credits): void {
    const before = charge.sums;
    this.#sum(charge, before, -1);
    charge.state = state;
    charge.credits = credits;
    const { sums } = charge;
    this.#sum(charge, sums, 1);
    if (charge.early && this.#mark) {
      // It is no part of what happened since the mark.
      const taken = this.#mark.taken + sums.taken - before.taken;
      this.#mark = { ...this.#mark, taken };
    }
    if (sums.doubt > before.doubt) this.#stale = true;
    this.#open[state === "open" ? "add" : "delete"](charge);
    this.#unknown[state === "unknown" ? "add" : "delete"](charge);
    if (state !== "open" && this.#hiding.delete(charge) && this.#hiding.size === 0) {
      this.#stale = true;
    }
  }

  #sum({ plan }: Charge, { taken, reserved, spent, loose, doubt }: Shares, sign: 1 | -1): void {
    this.#taken += sign * taken;
    this.#loose += sign * loose;
    for (const budget of plan.budgets) {
      const part = this.#part(budget);
      part.loose += sign * loose;
      part.doubt += sign * doubt;
      budget.count(sign * spent, sign * reserved);
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
      const certain = this.#surplus - (this.#loose - part.loose);
      const more = Math.min(certain, part.doubt) - part.released;
      if (more > 0) {
        part.released += more;
        budget.count(-more, 0);
        return true;
      }
      const hopeless = part.doubt <= part.released || !this.#stale;
      if (hopeless || !(await this.#lookOnce())) return false;
    }
    return false;
  }

  /** Looks at the balance, once for all who want to; gives false when it could not be seen. */
  #lookOnce(): Promise<boolean> {
    return (this.#look ??= this.#lookAtBalance());
  }

  async #lookAtBalance(): Promise<boolean> {
    this.#stale = false;
    // While the service answers, each of these is taken from the balance sooner or later.
    this.#touched = this.#pending();
    try {
      const { credits_remaining: balance } = await this.#account();
      if (this.#mark === undefined) this.#begins(balance);
      else if (Number.isFinite(balance)) {
        const now = { taken: this.#taken, bought: this.#bought };
        this.#surplus = surplusOf(balance, this.#mark, now) - heldBy(this.#touched);
        this.#hiding = new Set([...this.#touched].filter(({ state }) => state === "open"));
        // What has ended meanwhile hid something, too, and does no more.
        if ([...this.#touched].some(({ sums }) => sums.taken > sums.reserved)) this.#stale = true;
      }
      return true;
    } catch {
      this.#stale = true;
      return false;
    } finally {
      this.#touched = undefined;
      this.#look = undefined;
    }
  }
}

/** The book of a client, which is begun when it is first asked for. */
export function bookOf(parts: Parts): CreditBook {
  return (parts.book ??= new CreditBook(parts));
}
