import type { Clock } from "@tryon/client";

import type { BatchProgress, OnProgress } from "./options.ts";
import type { ItemOutcome } from "./run-item.ts";

const minute = 60_000;

/** Counts the items that have ended, and reports the progress. */
export class ProgressCount {
  readonly #clock: Clock;
  readonly #total: number | undefined;
  readonly #onProgress: OnProgress | undefined;
  readonly #startedAt: number;
  #fromJournal = 0;
  #succeeded = 0;
  #failed = 0;
  #credits = 0;

  constructor(clock: Clock, total: number | undefined, onProgress: OnProgress | undefined) {
    this.#clock = clock;
    this.#total = total;
    this.#onProgress = onProgress;
    this.#startedAt = clock.now();
  }

  /** Reports an ended item. A failing callback never ends the batch. */
  report({ result, job, fromJournal }: ItemOutcome, inFlight: number): void {
    if (result) this.#succeeded += 1;
    else this.#failed += 1;
    const credits = job?.data.cost_credits;
    if (fromJournal) this.#fromJournal += 1;
    else if (Number.isFinite(credits)) this.#credits += credits ?? 0;
    const call = async (): Promise<unknown> => this.#onProgress?.(this.#progress(inFlight));
    call().catch(() => undefined);
  }

  #progress(inFlight: number): BatchProgress {
    const [succeeded, failed, total] = [this.#succeeded, this.#failed, this.#total];
    const done = succeeded + failed;
    const elapsed = this.#clock.now() - this.#startedAt;
    const ended = done - this.#fromJournal;
    const rate = elapsed > 0 && ended > 0 ? (ended / elapsed) * minute : undefined;
    const left = total === undefined ? undefined : Math.max(0, total - done);
    const eta = left === 0 ? 0 : left && rate && (left / rate) * minute;
    return { done, succeeded, failed, inFlight, total, credits: this.#credits, rate, eta };
  }
}
