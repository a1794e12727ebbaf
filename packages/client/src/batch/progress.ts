/** How far a batch has come. */
export interface BatchProgress {
  /** How many items have ended, in this run or an earlier one. */
  readonly done: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly inFlight: number;
  /** How many items there are, where that is known. */
  readonly total: number | undefined;
  /** What the try-ons of this run cost, as far as the service has said. */
  readonly credits: number;
  /** How many items end in a minute, in this run; undefined until some time has passed. */
  readonly rate: number | undefined;
  /** How long the rest will take at that rate, in milliseconds. */
  readonly eta: number | undefined;
}

/** What takes the progress of a batch. */
export type OnProgress = (progress: BatchProgress) => unknown;

const minute = 60_000;

/** Counts what has ended. */
export class ProgressCount {
  readonly #startedAt: number;
  readonly #total: number | undefined;
  #fromJournal = 0;
  #succeeded = 0;
  #failed = 0;
  #credits = 0;

  constructor(startedAt: number, total: number | undefined) {
    this.#startedAt = startedAt;
    this.#total = total;
  }

  add(end: {
    readonly succeeded: boolean;
    readonly fromJournal: boolean;
    readonly credits: number;
  }): void {
    if (end.succeeded) this.#succeeded += 1;
    else this.#failed += 1;
    if (end.fromJournal) this.#fromJournal += 1;
    else this.#credits += end.credits;
  }

  at(now: number, inFlight: number): BatchProgress {
    const done = this.#succeeded + this.#failed;
    const elapsed = now - this.#startedAt;
    const made = done - this.#fromJournal;
    const rate = elapsed > 0 && made > 0 ? (made / elapsed) * minute : undefined;
    const left = this.#total === undefined ? undefined : Math.max(0, this.#total - done);
    return {
      done,
      succeeded: this.#succeeded,
      failed: this.#failed,
      inFlight,
      total: this.#total,
      credits: this.#credits,
      rate,
      eta: left === 0 ? 0 : left && rate && (left / rate) * minute,
    };
  }
}
