import type { Charge, ChargePlan, SpendCounter, SpendTracker } from "../billing/spend-tracker.ts";
import type { Costs } from "../billing/prices.ts";
import { usePart } from "../errors/use-part.ts";
import type { Deadline } from "../http/deadline.ts";
import type { JobData } from "../types/job.ts";
import type { Part } from "../types/part.ts";

type Module = { readonly SpendTracker: typeof SpendTracker };

/** Counts the credits of a page from its first budget on: without one, nothing has to be counted. */
export class PageSpendCounter implements SpendCounter {
  readonly #load: Part<Module>;
  readonly #given: ConstructorParameters<typeof SpendTracker>;
  #tracker: SpendTracker | undefined;

  constructor(load: Part<Module>, ...given: ConstructorParameters<typeof SpendTracker>) {
    this.#load = load;
    this.#given = given;
  }

  async costs(deadline: Deadline): Promise<Costs> {
    return (await this.#open()).costs(deadline);
  }

  async reserve(
    plan: ChargePlan,
    deadline: Deadline,
    earlier?: Charge,
  ): Promise<Charge | undefined> {
    const hasBudget = plan.budget ?? this.#given[2] ?? this.#tracker;
    return hasBudget && (await this.#open()).reserve(plan, deadline, earlier);
  }

  recordFound(charge: Charge, data: JobData): void {
    this.#tracker?.recordFound(charge, data);
  }

  recordJob(data: JobData): void {
    this.#tracker?.recordJob(data);
  }

  recordNoJob(charge: Charge): void {
    this.#tracker?.recordNoJob(charge);
  }

  async #open(): Promise<SpendTracker> {
    const { SpendTracker: Tracker } = await usePart(this.#load);
    return (this.#tracker ??= new Tracker(...this.#given));
  }
}
