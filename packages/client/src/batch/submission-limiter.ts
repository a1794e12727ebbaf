import { isTryOnError, type TryOn } from "@tryon/client";

import { transientCodes } from "../errors/transient-codes.ts";
import { Deadline } from "../http/deadline.ts";
import { isSyncCut } from "../jobs/sync-cut.ts";
import { initialWindow, nextWindow, type ConcurrencyWindow } from "./concurrency-window.ts";
import type { CommonOptions } from "./options.ts";
import type { ItemOutcome } from "./run-item.ts";
import {
  backoffAfter,
  maxReadAhead,
  nextDueAt,
  startDelay,
  type SubmissionRate,
} from "./submission-rate.ts";

/** Limits the submissions of a batch: the number in flight, and their rate under the rate limit of the key. */
export class SubmissionLimiter {
  readonly #tryon: TryOn;
  readonly #signal: AbortSignal;
  readonly #isAuto: boolean;
  #window: ConcurrencyWindow;
  #sync: boolean;
  #dueAt = Number.NEGATIVE_INFINITY;
  #backoffUntil = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #last: Promise<void> = Promise.resolve();
  #request: Promise<void> | undefined;
  #isRequested = false;
  /** Moving average of the time from reading an item until its submission is ready, in milliseconds. */
  #preparation: number | undefined;

  constructor(tryon: TryOn, options: CommonOptions, signal: AbortSignal) {
    const { concurrency = "auto", sync } = options;
    this.#tryon = tryon;
    this.#signal = signal;
    this.#isAuto = concurrency === "auto";
    this.#window = concurrency === "auto" ? initialWindow : { ...initialWindow, size: concurrency };
    this.#sync = sync !== false;
  }

  /** If true, submissions wait for their results, so that few polls are needed. */
  get sync(): boolean {
    return this.#sync;
  }

  /** Returns true if so many items fill the window. */
  isFull(items: number): boolean {
    return items >= Math.floor(this.#window.size);
  }

  /** Maximum number of items to read before they start. One until the rate limit has been requested. */
  get readAhead(): number {
    return this.#isRequested || this.#tryon.rateLimit
      ? maxReadAhead(this.#rate(), this.#preparation ?? 0)
      : 1;
  }

  /** Waits until one more submission may start, in the order of the calls. `readAt` is when its item was read. */
  acquire(readAt: number): Promise<void> {
    const duration = Math.max(0, this.#tryon.clock.now() - readAt);
    const average = this.#preparation ?? duration;
    this.#preparation = average + (duration - average) / 4;
    const turn = this.#last.then(() => this.#wait());
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Adjusts to the outcome of an item that was submitted. `items` fill the window or not. */
  ended({ error, attempts = [], startedAt, job }: ItemOutcome, items: number): void {
    if (startedAt === undefined) return;
    const now = this.#tryon.clock.now();
    const failed = isTransientFailure(error);
    // Items that started before the previous failure do not count again.
    if (failed && startedAt >= this.#failedAt) {
      this.#failedAt = now;
      this.#failures += 1;
      this.#backoffUntil = now + backoffAfter(this.#failures);
    }
    if (!failed && job) this.#failures = 0;
    if (attempts.some(isSyncCut)) this.#sync = false;
    if (!this.#isAuto) return;
    const throttled = attempts.findLast(({ status }) => status === 429 || status === 503);
    const full = this.isFull(items);
    const signals = { now, full, throttledAt: throttled?.startedAt, failed };
    this.#window = nextWindow(this.#window, signals);
  }

  #rate(): SubmissionRate {
    return {
      now: this.#tryon.clock.now(),
      dueAt: this.#dueAt,
      backoffUntil: this.#backoffUntil,
      sync: this.#sync,
      rateLimit: this.#tryon.rateLimit,
    };
  }

  async #wait(): Promise<void> {
    if (this.#tryon.rateLimit === undefined) await (this.#request ??= this.#requestRateLimit());
    const deadline = new Deadline(this.#tryon.clock, Number.POSITIVE_INFINITY, this.#signal);
    try {
      for (;;) {
        deadline.throwIfAborted();
        const rate = this.#rate();
        const delay = startDelay(rate);
        if (delay === 0) {
          this.#dueAt = nextDueAt(rate);
          return;
        }
        await deadline.sleep(delay);
      }
    } finally {
      deadline.close();
    }
  }

  /** Requests the rate limit once. A proxy may not report it; then later responses do. */
  async #requestRateLimit(): Promise<void> {
    try {
      await this.#tryon.account.get({ signal: this.#signal });
    } catch {
      this.#signal.throwIfAborted();
    }
    this.#isRequested = true;
  }
}

/** Returns true if an item failed because of the service or the connection. */
function isTransientFailure(error: unknown): boolean {
  if (!isTryOnError(error)) return false;
  const last = error.code === "outcome_unknown" ? error.cause : error;
  return isTryOnError(last) && transientCodes.has(last.code);
}
