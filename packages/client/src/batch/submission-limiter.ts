import { isTryOnError, type TryOn } from "@tryon/client";

import { transientCodes } from "../errors/tryon-error.ts";
import { Deadline } from "../http/deadline.ts";
import { isSyncCut } from "../jobs/is-sync-cut.ts";
import type { CommonOptions } from "./options.ts";
import type { ItemOutcome } from "./run-item.ts";

const minute = 60_000;
/** Number of items in flight at the start, and the maximum, with `"auto"`. */
const [initialWindow, maxWindow] = [8, 100];
/** Share of the rate limit reserved for polls. Submissions that wait for their results need few. */
const pollShare = { sync: 0.03, polled: 0.2 } as const;
/** Minimum number of requests per minute reserved for other calls. */
const minReserved = 1.5;
/** Time in milliseconds by which a start may be early, so that late timers cost nothing. */
const tolerance = 250;

/** Limits the submissions of a batch: the number in flight, and their starts under the rate limit of the key. */
export class SubmissionLimiter {
  readonly #tryon: Pick<TryOn, "account" | "clock" | "rateLimit">;
  readonly #signal: AbortSignal;
  readonly #isAuto: boolean;
  #sync: boolean;
  /** Maximum number of items in flight. Fractions are rounded down. */
  #window: number;
  /** If true, the window doubles with each round, until the first 429 or 503. */
  #isDoubling = true;
  #halvedAt = Number.NEGATIVE_INFINITY;
  /** Time of the next start by even spacing. */
  #dueAt = Number.NEGATIVE_INFINITY;
  /** Time until which nothing starts, after transient failures. */
  #backoffUntil = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #last: Promise<void> = Promise.resolve();
  #request: Promise<void> | undefined;
  #isRequested = false;
  /** Moving average of the time from reading an item until its submission is ready, in milliseconds. */
  #preparation: number | undefined;

  constructor(
    tryon: Pick<TryOn, "account" | "clock" | "rateLimit">,
    { concurrency = "auto", sync }: CommonOptions,
    signal: AbortSignal,
  ) {
    this.#tryon = tryon;
    this.#signal = signal;
    this.#isAuto = concurrency === "auto";
    this.#window = concurrency === "auto" ? initialWindow : concurrency;
    this.#sync = sync !== false;
  }

  /** If true, submissions wait for their results, so that an item takes one request. */
  get sync(): boolean {
    return this.#sync;
  }

  /** Returns true if this number of items fills the window. */
  isFull(items: number): boolean {
    return items >= Math.floor(this.#window);
  }

  /** Maximum number of items to read before they start: those that start within a second or while an input is created. */
  get readAhead(): number {
    if (!this.#isRequested && this.#tryon.rateLimit === undefined) return 1;
    const spacing = this.#spacing;
    if (spacing === 0) return Number.POSITIVE_INFINITY;
    const inOneSecond = Math.max(1, Math.floor(1_000 / spacing));
    return inOneSecond + Math.ceil((this.#preparation ?? 0) / spacing);
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

  /** Adjusts to the outcome of an item of this run. `items` are in flight or not yet yielded. */
  ended({ error, attempts = [], startedAt, job }: ItemOutcome, items: number): void {
    if (startedAt === undefined) return;
    const now = this.#tryon.clock.now();
    const isFull = this.isFull(items);
    if (attempts.some(isSyncCut)) this.#sync = false;
    if (isTransientFailure(error)) {
      // Few items fail during an outage, and afterwards the window can double again.
      this.#halve(now, true);
      // Items that started before the previous failure do not count again.
      if (startedAt < this.#failedAt) return;
      this.#failedAt = now;
      this.#failures += 1;
      // 1 s, then twice as long each time, up to 60 s.
      this.#backoffUntil = now + Math.min(minute, 1_000 * 2 ** (this.#failures - 1));
      return;
    }
    if (job) this.#failures = 0;
    const throttled = attempts.findLast(({ status }) => status === 429 || status === 503);
    if (throttled) {
      // Once for all requests sent before.
      if (throttled.startedAt > this.#halvedAt) this.#halve(now, false);
    } else if (this.#isAuto && isFull) {
      const added = this.#isDoubling ? 1 : 1 / this.#window;
      this.#window = Math.min(maxWindow, this.#window + added);
    }
  }

  #halve(now: number, isDoubling: boolean): void {
    if (!this.#isAuto) return;
    this.#window = Math.max(1, Math.floor(this.#window / 2));
    this.#isDoubling = isDoubling;
    this.#halvedAt = now;
  }

  /** Time between starts in milliseconds, so that any 60 seconds stay within the rate limit. */
  get #spacing(): number {
    const { limit = 0 } = this.#tryon.rateLimit ?? {};
    if (limit <= 0) return 0;
    const reserved = Math.max(minReserved, limit * pollShare[this.#sync ? "sync" : "polled"]);
    return minute / Math.max(limit - reserved, limit / 2);
  }

  /** Time until the next start, in milliseconds. */
  get #delay(): number {
    const now = this.#tryon.clock.now();
    const { remaining = 1, resetAt = now, source } = this.#tryon.rateLimit ?? {};
    const untilReset = remaining > 0 ? 0 : resetAt - now;
    // An estimated reset is checked again soon.
    const reset = source === "headers" ? untilReset : Math.min(untilReset, this.#spacing);
    return Math.max(0, this.#dueAt - tolerance - now, this.#backoffUntil - now, reset);
  }

  async #wait(): Promise<void> {
    if (this.#tryon.rateLimit === undefined) await (this.#request ??= this.#requestRateLimit());
    const { clock } = this.#tryon;
    const deadline = new Deadline(clock, Number.POSITIVE_INFINITY, this.#signal);
    try {
      for (;;) {
        deadline.throwIfAborted();
        const delay = this.#delay;
        if (delay === 0) break;
        await deadline.sleep(delay);
      }
    } finally {
      deadline.close();
    }
    this.#dueAt = Math.max(clock.now(), this.#dueAt) + this.#spacing;
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
