import { isTryOnError, type TryOn } from "@tryon/client";

import { clientClock } from "../config/clock.ts";
import { transientCodes } from "../errors/tryon-error.ts";
import { Deadline } from "../http/deadline.ts";
import type { TakeTime } from "../jobs/job-poller.ts";
import type { CommonOptions } from "./options.ts";
import type { ItemOutcome } from "./run-item.ts";

const minute = 60_000;
const [initialWindow, maxWindow] = [8, 100];
/** Share of the rate limit reserved for polls. Submissions that wait for their results need few. */
const pollShare = { sync: 0.03, polled: 0.2 } as const;
const minReserved = { sync: 1.5, polled: 3 } as const;
/** Time in milliseconds by which a start may be early, so that late timers cost nothing. */
const tolerance = 250;
/** Time to create an input that delays no start, in milliseconds. */
const maxPreparation = 10_000;

/** Minimum wait for the rate limit that is reported, in milliseconds. */
const minReported = 2_000;

/** Minimum time between starts for which a shared schedule is worth its statements, in milliseconds. */
const minShared = 1;
/** Time of a shared schedule that is taken at once for starts that wait, in milliseconds. */
const maxTaken = 200;

export class SubmissionLimiter {
  sync: boolean;
  readonly #tryon: TryOn;
  readonly #deadline: Deadline;
  readonly #isAuto: boolean;
  /** Maximum number of items in flight. Fractions are rounded down. */
  #window: number;
  /** If true, the window doubles with each round, until the first 429 or 503. */
  #isSlowStart = true;
  /** Time of the last 429, 503 or transient failure. It counts once for all requests sent before. */
  #slowedAt = Number.NEGATIVE_INFINITY;
  #failures = 0;
  /** Monotonic time of the next start, by even spacing or after a transient failure. */
  #dueAt = Number.NEGATIVE_INFINITY;
  #last: Promise<void> = Promise.resolve();
  #request: Promise<void> | undefined;
  #isRequested = false;
  /** Number of calls of `acquire` that wait. */
  #waiting = 0;
  /** Number of starts that are left of the time taken from the shared schedule. `#dueAt` is that of the first one. */
  #taken = 0;
  #isScheduled = false;
  readonly #takeTime: TakeTime | undefined;

  constructor(
    tryon: TryOn,
    { concurrency = "auto", sync }: CommonOptions,
    signal: AbortSignal,
    takeTime?: TakeTime,
  ) {
    this.#tryon = tryon;
    this.#takeTime = takeTime;
    this.#deadline = new Deadline(clientClock(tryon.clock), Infinity, signal);
    this.#isAuto = concurrency === "auto";
    this.#window = concurrency === "auto" ? initialWindow : concurrency;
    this.sync = sync !== false;
  }

  isFull(items: number): boolean {
    return items >= Math.floor(this.#window);
  }

  /** Maximum number of items to read before they start, so that slow inputs delay no start. */
  get readAhead(): number {
    if (!this.#isRequested && this.#tryon.rateLimit === undefined) return 1;
    return Math.max(1, Math.ceil(maxPreparation / this.#spacing));
  }

  acquire(): Promise<void> {
    this.#waiting += 1;
    const turn = this.#last.then(() => this.#wait()).finally(() => (this.#waiting -= 1));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  ended({ error, attempts = [], startedAt, job }: ItemOutcome, items: number): void {
    if (startedAt === undefined) return;
    // The clock may have been set back.
    this.#slowedAt = Math.min(this.#slowedAt, this.#tryon.clock.now());
    if (attempts.some(({ isCut }) => isCut)) this.sync = false;
    const throttled = attempts.findLast(({ status }) => status === 429 || status === 503);
    if (isTransientFailure(error)) {
      if (startedAt > this.#slowedAt) {
        // 1 s, then twice as long each time, up to 60 s.
        const backoff = Math.min(minute, 1_000 * 2 ** this.#failures);
        this.#failures += 1;
        this.#dueAt = Math.max(this.#dueAt, this.#deadline.clock.monotonic() + backoff + tolerance);
        this.#taken = 0;
      }
      // Few items fail during an outage, and afterwards the window can double again.
      this.#halve(true);
      return;
    }
    if (job) this.#failures = 0;
    if (throttled) {
      if (throttled.startedAt > this.#slowedAt) this.#halve(false);
    } else if (this.#isAuto && this.isFull(items)) {
      const added = this.#isSlowStart ? 1 : 1 / this.#window;
      this.#window = Math.min(maxWindow, this.#window + added);
    }
  }

  #halve(isSlowStart: boolean): void {
    this.#slowedAt = this.#tryon.clock.now();
    this.#isSlowStart = isSlowStart;
    if (this.#isAuto) this.#window = Math.max(1, Math.floor(this.#window / 2));
  }

  /** Time between starts in milliseconds, so that any 60 seconds stay within the rate limit. */
  get #spacing(): number {
    const { limit = 0 } = this.#tryon.rateLimit ?? {};
    if (limit <= 0) return 0;
    const mode = this.sync ? "sync" : "polled";
    const reserved = Math.max(minReserved[mode], limit * pollShare[mode]);
    return minute / Math.max(limit - reserved, limit / 2);
  }

  get #untilReset(): number {
    const now = this.#deadline.clock.now();
    const { remaining = 1, resetAt = now } = this.#tryon.rateLimit ?? {};
    return remaining > 0 ? 0 : resetAt - now;
  }

  get #delay(): number {
    const { source } = this.#tryon.rateLimit ?? {};
    // An estimated reset is checked again soon.
    const latest = source === "headers" ? Infinity : this.#spacing;
    const reset = Math.min(this.#untilReset, latest);
    return Math.max(0, this.#dueAt - tolerance - this.#deadline.clock.monotonic(), reset);
  }

  async #wait(): Promise<void> {
    if (this.#tryon.rateLimit === undefined) await (this.#request ??= this.#requestRateLimit());
    this.#deadline.throwIfAborted();
    const takeTime = this.#spacing >= minShared ? this.#takeTime : undefined;
    await this.#sleepUntilDue();
    const { clock } = this.#deadline;
    if (!takeTime) {
      this.#dueAt = Math.max(clock.monotonic(), this.#dueAt) + this.#spacing;
      return;
    }
    // Time that has passed unused is lost, so that no starts catch up on it.
    if (this.#taken <= 0 || clock.monotonic() - this.#dueAt > tolerance) {
      const starts = Math.max(1, Math.min(this.#waiting, Math.floor(maxTaken / this.#spacing)));
      // The first time includes that of the request for the rate limit.
      const wait = await takeTime((starts + (this.#isScheduled ? 0 : 1)) * this.#spacing);
      this.#isScheduled = true;
      this.#taken = starts;
      this.#dueAt = clock.monotonic() + wait;
      await this.#sleepUntilDue();
    }
    this.#taken -= 1;
    this.#dueAt += this.#spacing;
  }

  async #sleepUntilDue(): Promise<void> {
    let isReported = false;
    for (let delay = this.#delay; delay > 0; delay = this.#delay) {
      const untilReset = this.#untilReset;
      if (!isReported && untilReset >= minReported) this.#tryon.reportWait(untilReset);
      isReported ||= untilReset >= minReported;
      await this.#deadline.sleep(delay);
    }
  }

  /** Requests the rate limit once. A proxy may not report it; then later responses do. */
  async #requestRateLimit(): Promise<void> {
    const { signal } = this.#deadline;
    // A journal with a schedule also counts credits: one request returns both the limit and the prices.
    const request = this.#takeTime
      ? this.#tryon.costs({ signal })
      : this.#tryon.account.get({ signal });
    await request.catch(() => undefined);
    this.#isRequested = true;
  }
}

function isTransientFailure(error: unknown): boolean {
  if (!isTryOnError(error)) return false;
  const last = error.code === "outcome_unknown" ? error.cause : error;
  return isTryOnError(last) && transientCodes.has(last.code);
}
