import type { ResultRecord } from "../store/records.ts";

/** Outcome of a finished job. */
export type Ending =
  | { readonly result: ResultRecord }
  | { readonly errorCode: string; readonly errorMessage: string };

/** Unfinished job as data. It has the result image, but none of the submitted images. */
export interface PlanState {
  readonly jobId: string;
  readonly durationMs: number;
  readonly ending: Ending | "never";
}

/** Plan for the end of a job. It drops the submitted images once the result image exists. */
export class JobPlan {
  readonly jobId: string;
  readonly durationMs: number;
  #render: (() => Promise<Ending>) | undefined;
  #rendering: Promise<Ending> | undefined;
  #ending: Ending | "never" | undefined;

  constructor(
    job: { readonly jobId: string; readonly durationMs: number },
    ending: (() => Promise<Ending>) | Ending | "never",
  ) {
    this.jobId = job.jobId;
    this.durationMs = job.durationMs;
    if (typeof ending === "function") this.#render = ending;
    else this.#ending = ending;
  }

  /** Renders the image once. Returns undefined for a job that never ends. */
  async ending(): Promise<Ending | undefined> {
    if (this.#ending === undefined) {
      this.#rendering ??= this.#render?.();
      this.#render = undefined;
      this.#ending ??= await this.#rendering;
      this.#rendering = undefined;
    }
    return this.#ending === "never" ? undefined : this.#ending;
  }

  get endsNever(): boolean {
    return this.#ending === "never";
  }

  /** Undefined until the image is rendered. */
  get state(): PlanState | undefined {
    const { jobId, durationMs } = this;
    return this.#ending && { jobId, durationMs, ending: this.#ending };
  }
}
