import type { ResultRecord } from "../store/records.ts";

/** How a job ends. */
export type Ending =
  | { readonly result: ResultRecord }
  | { readonly errorCode: string; readonly errorMessage: string };

/** A job that has not ended, in data: it holds no image that was sent, but the one that it will have made. */
export interface PlanState {
  readonly jobId: string;
  readonly durationMs: number;
  readonly ending: Ending | "never";
}

/** How a job is going to end. What was sent with it is let go as soon as its image has been made. */
export class JobPlan {
  readonly jobId: string;
  readonly durationMs: number;
  #make: (() => Promise<Ending>) | undefined;
  #making: Promise<Ending> | undefined;
  #known: Ending | "never" | undefined;

  constructor(
    job: { readonly jobId: string; readonly durationMs: number },
    ending: (() => Promise<Ending>) | Ending | "never",
  ) {
    this.jobId = job.jobId;
    this.durationMs = job.durationMs;
    if (typeof ending === "function") this.#make = ending;
    else this.#known = ending;
  }

  /** Makes the image, once; undefined for a job that never ends. */
  async ending(): Promise<Ending | undefined> {
    if (this.#known === undefined) {
      this.#making ??= this.#make?.();
      this.#make = undefined;
      this.#known ??= await this.#making;
      this.#making = undefined;
    }
    return this.#known === "never" ? undefined : this.#known;
  }

  get endsNever(): boolean {
    return this.#known === "never";
  }

  /** Undefined until the image has been made. */
  get state(): PlanState | undefined {
    const { jobId, durationMs } = this;
    return this.#known && { jobId, durationMs, ending: this.#known };
  }
}
