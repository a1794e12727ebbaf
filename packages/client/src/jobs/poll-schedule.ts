import type { Config } from "../config/resolve-config.ts";
import { readShare, type RequestLimiter } from "../http/rate-limiter.ts";

/** Kind of the jobs of a test key. All others have their output size as kind. */
export const testKind = "test";
/** Median run times before the first try-on of a client has ended, in milliseconds. Test keys use no model. */
const usualRunTime = 12_000;
const testRunTime = 2_000;
/** Bounds of a learned run time, in milliseconds. A longer one would delay the next first poll by minutes. */
const minRunTime = 300;
const maxRunTime = 120_000;
const newestWeight = 0.15;
/** Time of the first poll as a share of the median: 17 of 100 try-ons have ended by then. */
const firstPoll = 0.59;
const delayFactor = 15;
const minDelay = 500;
const maxDelay = 8_000;
/** Minimum delay as a share of the age of the job. A slow job may take even longer. */
const minShareOfAge = 0.06;
const minHiddenDelay = 30_000;
const lastPollTime = 1_000;
const defaultLimit = 60;
const pollShare = 0.5;
const minute = 60_000;

export interface PendingWait {
  readonly id: string;
  readonly kind: string;
  /** Start of the job, as a monotonic time. Undefined if only its id is known: its first poll is due at once. */
  readonly startedAt: number | undefined;
  /** Fixed delay, in milliseconds. Undefined for delays by the age of the job. */
  readonly pollInterval?: number | undefined;
}

export class PollSchedule {
  readonly #config: Pick<Config, "clock" | "random">;
  readonly #rateLimiter: RequestLimiter;
  readonly #medians = new Map<string, number>();
  opensAt = 0;

  constructor(config: Pick<Config, "clock" | "random">, rateLimiter: RequestLimiter) {
    this.#config = config;
    this.#rateLimiter = rateLimiter;
  }

  learn(kind: string, runTime: number | null | undefined): void {
    if (!runTime) return;
    const known = Math.log(this.#median(kind));
    const value = Math.log(Math.min(maxRunTime, Math.max(minRunTime, runTime)));
    this.#medians.set(kind, Math.exp(known + (value - known) * newestWeight));
  }

  dueAt({ kind, startedAt, pollInterval }: PendingWait, left: number): number {
    const { clock, random } = this.#config;
    const now = clock.monotonic();
    const age = now - (startedAt ?? now);
    let delay = 0;
    if (startedAt !== undefined) {
      delay = pollInterval ?? nextPollDelay(age, this.#median(kind), random);
      // The share of the rate limit must not delay the polls of a fixed interval.
      if (pollInterval) this.opensAt = Math.min(this.opensAt, now + pollInterval);
    }
    if (isHidden()) delay = Math.max(delay, minHiddenDelay);
    return now + (left > lastPollTime ? Math.min(delay, left - lastPollTime) : delay);
  }

  countPoll(): void {
    this.opensAt = Math.max(this.opensAt, this.#config.clock.monotonic()) + this.interval();
  }

  /** @param isShared - If true, returns the interval of all processes together. */
  interval(isShared = false): number {
    const { limit = defaultLimit, remaining = limit } = this.#rateLimiter.rateLimit ?? {};
    return minute / Math.max(limit * readShare, isShared ? 0 : remaining * pollShare);
  }

  #median(kind: string): number {
    return this.#medians.get(kind) ?? (kind === testKind ? testRunTime : usualRunTime);
  }
}

/**
 * Returns the delay before the next poll of a job of this age, in milliseconds. The first poll waits until a few jobs of its
 * kind have ended. After that, the rate of ends is nearly constant, and so is the delay with the lowest sum of polls and
 * waiting. Jitter is 10 %.
 */
export function nextPollDelay(age: number, median: number, random: () => number): number {
  const first = firstPoll * median;
  const later = Math.max(minDelay, minShareOfAge * age, delayFactor * Math.sqrt(median));
  // After an early poll, the next one is not due at once.
  const delay = age < 0.8 * first ? first - age : Math.min(maxDelay, later);
  return delay * (0.9 + 0.2 * random());
}

export function page(): Document | undefined {
  return globalThis.document;
}

export function isHidden(): boolean {
  return page()?.visibilityState === "hidden";
}
