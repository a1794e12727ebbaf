import type { Clock, TryOn } from "@tryon/client";

import {
  averagePreparation,
  backoffAfter,
  maxReadAhead,
  nextDueAt,
  startDelay,
  type SubmissionRate,
} from "./submission-rate.ts";

/** Spaces the submissions of a batch so that they stay within the rate limit of the key. */
export class SubmissionLimiter {
  readonly #tryon: TryOn;
  readonly #signal: AbortSignal;
  #dueAt = Number.NEGATIVE_INFINITY;
  #backoffUntil = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #last: Promise<void> = Promise.resolve();
  #request: Promise<void> | undefined;
  #isRequested = false;
  /** Average time from reading an item until its submission is ready, in milliseconds. */
  #preparation: number | undefined;
  /** If true, submissions wait for their results, so that few polls are needed. */
  held: boolean;

  constructor(tryon: TryOn, held: boolean, signal: AbortSignal) {
    this.#tryon = tryon;
    this.held = held;
    this.#signal = signal;
  }

  /** Maximum number of items to read before they start. One until the rate limit has been requested. */
  get readAhead(): number {
    return this.#isRequested || this.#tryon.rateLimit
      ? maxReadAhead(this.#rate(), this.#preparation ?? 0)
      : 1;
  }

  /** Records that the input of an item is ready. */
  prepared(readAt: number): void {
    const duration = Math.max(0, this.#tryon.clock.now() - readAt);
    this.#preparation = averagePreparation(this.#preparation, duration);
  }

  /** Waits until one more submission may start, in the order of the calls. */
  acquire(): Promise<void> {
    const turn = this.#last.then(() => this.#wait());
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Records a transient failure of an item. Items that started before the previous failure do not count again. */
  failed(startedAt: number): void {
    if (startedAt < this.#failedAt) return;
    this.#failedAt = this.#tryon.clock.now();
    this.#failures += 1;
    this.#backoffUntil = this.#failedAt + backoffAfter(this.#failures);
  }

  /** Records that the service created a job. */
  succeeded(): void {
    this.#failures = 0;
  }

  #rate(): SubmissionRate {
    return {
      now: this.#tryon.clock.now(),
      dueAt: this.#dueAt,
      backoffUntil: this.#backoffUntil,
      held: this.held,
      rateLimit: this.#tryon.rateLimit,
    };
  }

  async #wait(): Promise<void> {
    if (this.#tryon.rateLimit === undefined) await (this.#request ??= this.#requestRateLimit());
    for (;;) {
      this.#signal.throwIfAborted();
      const rate = this.#rate();
      const delay = startDelay(rate);
      if (delay === 0) {
        this.#dueAt = nextDueAt(rate);
        return;
      }
      await sleep(this.#tryon.clock, delay, this.#signal);
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

/** Maximum delay of a timer, in milliseconds. */
const maxTimerDelay = 2 ** 31 - 1;

/** Waits, at most for the maximum delay of a timer. If the signal is aborted, rejects with its reason. Removes its listener. */
export function sleep(clock: Clock, delay: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // The reason of a signal can be any value.
    const stop = (): void => {
      clock.clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = clock.setTimeout(
      () => {
        signal.removeEventListener("abort", stop);
        resolve();
      },
      Math.min(delay, maxTimerDelay),
    );
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
