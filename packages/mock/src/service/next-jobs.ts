export interface Outcome {
  readonly ending: "succeeded" | "failed" | "never";
  readonly errorMessage: string | null;
  /** Milliseconds that the model takes, or null for the configured latency. */
  readonly durationMs: number | null;
}

export interface PlannedOutcome {
  readonly outcome: Outcome;
  /** Key that the job must belong to, or null for any. */
  readonly apiKey: string | null;
}

/** Error code of failures after the model was called. */
export const failureCode = "generation_failed";

/** Causes of a failure that are its error code with the option `errorCodes`. */
export const failureCauses: readonly string[] = ["model_rejected", "storage_failed"];

export const contentBlocked = "content_blocked";

const success: Outcome = { ending: "succeeded", errorMessage: null, durationMs: null };

/** Reads the outcome from a prompt that contains `mock:content_blocked`, `mock:slow=5000` or the like. */
export function readOutcome(prompt: string | null): Outcome {
  const match =
    /\bmock:(content_blocked|model_rejected|storage_failed|never|slow=(\d{1,12}))(?!\w)/.exec(
      prompt ?? "",
    );
  if (match === null) return success;
  if (match[2] !== undefined) return { ...success, durationMs: Number(match[2]) };
  if (match[1] === "never") return { ...success, ending: "never" };
  return { ...success, ending: "failed", errorMessage: match[1] ?? null };
}

export class NextJobs {
  #queue: PlannedOutcome[] = [];

  add(job: PlannedOutcome): void {
    this.#queue.push(job);
  }

  find(apiKey: string): PlannedOutcome | undefined {
    return this.#queue.find((job) => job.apiKey === null || job.apiKey === apiKey);
  }

  remove(job: PlannedOutcome | undefined): void {
    this.#queue = this.#queue.filter((other) => other !== job);
  }

  /** Returns an outcome to the front, because its job was rolled back. */
  restore(job: PlannedOutcome | undefined): void {
    if (job !== undefined) this.#queue.unshift(job);
  }

  get state(): readonly PlannedOutcome[] {
    return [...this.#queue];
  }

  resume(state: readonly PlannedOutcome[]): void {
    this.#queue = [...state];
  }
}
