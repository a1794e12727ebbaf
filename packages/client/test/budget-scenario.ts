import { optionTable, type Options } from "@tryon/mock";
import {
  array,
  boolean,
  constantFrom,
  integer,
  option,
  record,
  tuple,
  type Arbitrary,
} from "fast-check";

import { Budget, isTryOnError, type Job, type TryOn } from "../src/index.ts";
import { networkFaultNames, networkFaults, type NetworkFault } from "./network-faults.ts";
import { input, openService, trackEnd, type TestService } from "./service.ts";

const sizes = ["1K", "2K", "4K"] as const;
const outcomes = ["fine", "fine", "content_blocked", "model_rejected", "storage_failed"] as const;

/** Something that a program does with credits, and when. */
interface Spending {
  readonly call: "run" | "submit";
  readonly size: (typeof sizes)[number];
  readonly outcome: (typeof outcomes)[number];
  /** Which budgets it is given beside the client's. */
  readonly budget: "none" | "first" | "second";
  /** A key that others of the same kind may use, too. */
  readonly ownKey: boolean;
  /** When it begins, in seconds. */
  readonly startsAt: number;
  /** When its caller gives up, in seconds after that. */
  readonly abortedAfter: number | null;
  readonly timeout: "10s" | "2m" | "10m";
  /** How long after a failure the caller asks what became of it, in minutes; null for never. */
  readonly recoversAfter: number | null;
  /** What is bought then, by the words of its token. */
  readonly purchase: "none" | "fine" | "processing" | "declined" | "canceled";
}

/** A program that spends, and what goes wrong with its requests. */
export interface BudgetScenario {
  readonly options: Options;
  readonly maxCredits: number;
  /** Whether the client has a budget for everything, or calls alone have theirs. */
  readonly clientBudget: boolean;
  /** Whether nothing goes wrong with the first try-on, so that the balance is known from the start. */
  readonly quietStart: boolean;
  /** Whether credits are bought, too. */
  readonly buys: boolean;
  readonly spendings: readonly Spending[];
  readonly faults: readonly (NetworkFault | null)[];
  readonly retries: number;
}

const spending: Arbitrary<Spending> = record({
  call: constantFrom("run", "submit"),
  size: constantFrom(...sizes),
  outcome: constantFrom(...outcomes),
  budget: constantFrom("none", "first", "second"),
  ownKey: boolean(),
  startsAt: integer({ min: 0, max: 30 }),
  abortedAfter: option(integer({ min: 0, max: 4 }), { freq: 4 }),
  timeout: constantFrom("10s", "2m", "10m"),
  recoversAfter: option(constantFrom(0, 5, 15, 45, 150)),
  purchase: constantFrom("none", "none", "fine", "processing", "declined", "canceled"),
});

/** Every mixture of options, faults and ways to spend. */
export const budgetScenarios: Arbitrary<BudgetScenario> = record({
  // One value of its own row for each option, which the compiler cannot see through fromEntries.
  options: tuple(...optionTable.map(({ values }) => constantFrom<unknown>(...values))).map(
    (values) =>
      Object.fromEntries(optionTable.map(({ id }, index) => [id, values[index]])) as Options,
  ),
  maxCredits: integer({ min: 0, max: 120 }),
  clientBudget: boolean(),
  quietStart: constantFrom(true, true, true, false),
  buys: constantFrom(false, false, true),
  spendings: array(spending, { minLength: 1, maxLength: 12 }),
  faults: array(option(constantFrom(...networkFaultNames), { freq: 2 }), { maxLength: 14 }),
  retries: constantFrom(0, 1, 3),
});

/** What came of it. */
export interface Spent {
  readonly violations: readonly string[];
  /** Whether the balance was asked in the end, so that what is spent has to be exact. */
  readonly exact: boolean;
  /** How many try-ons were refused as too much, and what was charged and given back. */
  readonly refused: number;
  readonly charged: number;
  readonly refunded: number;
}

/** Spends, and says what was not as promised. */
export async function spend(
  scenario: BudgetScenario,
  client?: (service: TestService) => TryOn,
): Promise<Spent> {
  const { options, retries, maxCredits } = scenario;
  const service = openService({ profile: "default", options, latency: "3s", journalLimit: 1 });
  const own = new Budget({ maxCredits });
  const budget = scenario.clientBudget ? own : undefined;
  try {
    const tryon = client?.(service) ?? service.client({ retries, budget });
    return await new Shopper(service, tryon, scenario, own).spend();
  } finally {
    service.mock.close();
  }
}

class Shopper {
  readonly #service: TestService;
  readonly #tryon: TryOn;
  readonly #scenario: BudgetScenario;
  readonly #budgets: Readonly<Record<"client" | "first" | "second", Budget>>;
  readonly #jobs: Job[] = [];
  #refused = 0;

  constructor(service: TestService, tryon: TryOn, scenario: BudgetScenario, client: Budget) {
    this.#service = service;
    this.#tryon = tryon;
    this.#scenario = scenario;
    const half = { maxCredits: Math.ceil(scenario.maxCredits / 2) };
    this.#budgets = { client, first: new Budget(half), second: new Budget(half) };
  }

  async spend(): Promise<Spent> {
    const { mock, faults } = this.#service;
    if (this.#scenario.quietStart) await this.#passing(this.#plain());
    faults.push(
      ...this.#scenario.faults.map((name) => (name === null ? undefined : networkFaults[name])),
    );
    await this.#passing(
      Promise.all(this.#scenario.spendings.map((one, index) => this.#one(one, index))),
    );
    faults.length = 0;
    // Whatever is still on its way arrives, and what nobody asked for is given up.
    await mock.clock.advance("15m");
    for (const job of this.#jobs) await this.#passing(job.result().catch(() => undefined));
    // The jobs of calls that were given up are seen here.
    await this.#passing(
      this.#tryon.jobs
        .list()
        .toArray()
        .catch(() => []),
    );
    const exact = await this.#fill();
    return this.#judge(exact);
  }

  async #one(one: Spending, index: number): Promise<void> {
    const { credits } = this.#tryon;
    await this.#sleep(one.startsAt * 1_000);
    if (this.#scenario.buys && one.purchase !== "none") {
      const token = `spt_${one.purchase}_${index}`;
      const order = { pack_slug: "demo", shared_payment_granted_token: token } as const;
      const purchase = await credits.purchase(order).catch(() => undefined);
      if (purchase?.status !== "processing") return;
      if (index % 2 === 0) await this.#service.mock.settlePayment(purchase.payment_intent_id);
      await credits.waitForPurchase(purchase, { timeout: "30s" }).catch(() => undefined);
      return;
    }
    const controller = new AbortController();
    const kind = this.#kindOf(one);
    const asked = {
      ...input,
      output_size: one.size,
      metadata: { kind: one.budget },
      ...(one.outcome === "fine" ? {} : { prompt: `mock:${one.outcome}` }),
    };
    const how = {
      timeout: one.timeout,
      signal: controller.signal,
      ...(one.ownKey ? { idempotencyKey: kind } : {}),
      ...(one.budget === "none" ? {} : { budget: this.#budgets[one.budget] }),
    };
    const work =
      one.call === "submit"
        ? this.#tryon.submit(asked, how)
        : this.#tryon.run(asked, how).then(({ job }) => job);
    if (one.abortedAfter !== null) {
      void this.#sleep(one.abortedAfter * 1_000).then(() => controller.abort());
    }
    try {
      this.#jobs.push(await work);
    } catch (error) {
      await this.#follow(error, one);
    }
  }

  async #follow(failure: unknown, { recoversAfter }: Spending): Promise<void> {
    if (!isTryOnError(failure)) return;
    if (failure.code === "budget_exceeded") this.#refused += 1;
    if (failure.job) this.#jobs.push(failure.job);
    // Of several classes of failures, and absent from the rest.
    const { recover } = failure as { recover?: () => Promise<Job> };
    if (recoversAfter === null || !recover) return;
    await this.#sleep(recoversAfter * 60_000);
    // Somebody may ask twice at the same time.
    const answers = await Promise.allSettled([recover(), recover()]);
    for (const one of answers) if (one.status === "fulfilled") this.#jobs.push(one.value);
  }

  /** What is the same for everybody who uses the same own key. */
  #kindOf({ size, outcome, budget, call }: Spending): string {
    return [size, outcome, budget, call].join(" ");
  }

  /** Fills the client's budget until it refuses, which looks at the balance first. Gives whether it did. */
  async #fill(): Promise<boolean> {
    if (!this.#scenario.clientBudget) return false;
    for (let count = 0; count < 40; count += 1) {
      const end = await this.#passing(this.#plain());
      if (!isTryOnError(end)) continue;
      if (isTryOnError(end, "budget_exceeded")) return true;
      return false;
    }
    return false;
  }

  async #judge(filled: boolean): Promise<Spent> {
    const { mock } = this.#service;
    const { entries = [] } = (await mock.ledger(mock.keys.live)) ?? {};
    const jobs = await this.#passing(
      this.#service
        .client()
        .jobs.list({ limit: 50 })
        .toArray()
        .catch(() => []),
    );
    const kinds = new Map(jobs.map(({ id, data }) => [id, data.metadata?.["kind"]]));
    const violations: string[] = [];
    const watched = this.#scenario.clientBudget
      ? (["client", "first", "second"] as const)
      : (["first", "second"] as const);
    for (const name of watched) {
      const budget = this.#budgets[name];
      let net = 0;
      for (const { cause, credits, jobId } of entries) {
        if (cause !== "tryon" && cause !== "refund") continue;
        if (name !== "client" && kinds.get(jobId ?? "") !== name) continue;
        net -= credits;
        if (net > budget.maxCredits)
          violations.push(`${name}: ${net} of ${budget.maxCredits} charged`);
      }
      const { spent, reserved } = budget;
      if (spent < 0 || reserved < 0) violations.push(`${name}: ${spent} and ${reserved}`);
      if (spent + reserved < net)
        violations.push(`${name}: ${net} charged, ${spent} + ${reserved} counted`);
      if (name === "client" && filled && this.#exact && (spent !== net || reserved !== 0)) {
        violations.push(`${name}: ${net} charged, exactly ${spent} + ${reserved} counted`);
      }
    }
    const sum = (cause: string): number =>
      entries
        .filter((one) => one.cause === cause)
        .reduce((all, { credits }) => all + Math.abs(credits), 0);
    return {
      violations,
      exact: filled && this.#exact,
      refused: this.#refused,
      charged: sum("tryon"),
      refunded: sum("refund"),
    };
  }

  /** Whether the first look at the account had a chance, and no purchase is left open. */
  get #exact(): boolean {
    const { quietStart, buys } = this.#scenario;
    return quietStart && !buys;
  }

  /** A try-on with which nothing is meant to go wrong. */
  #plain(): Promise<unknown> {
    const asked = { ...input, metadata: { kind: "none" } };
    return this.#tryon.run(asked).catch((error: unknown) => error);
  }

  #sleep(delay: number): Promise<void> {
    return new Promise((resolve) => {
      this.#service.mock.clock.setTimeout(resolve, delay);
    });
  }

  /** Moves time in strides until the work has ended. */
  async #passing<Result>(work: Promise<Result>): Promise<Result> {
    const hasEnded = trackEnd(work);
    for (let stride = 0; !hasEnded(); stride += 1) {
      if (stride > 4_000) throw new Error("The work does not end.");
      await this.#service.mock.clock.advance(
        stride < 2 ? "0s" : stride < 60 ? "1s" : stride < 120 ? "10s" : "1m",
      );
    }
    return work;
  }
}
