import type { RateLimit } from "../types/attempt.ts";
import type { Clock } from "../config/clock.ts";
import { abortable, type Deadline } from "./deadline.ts";
import { maxRetryAfter } from "./retry-policy.ts";

/** Window of the rate limit, in milliseconds. */
const rateWindow = 60_000;
/** Maximum time between sending a request and its arrival, in milliseconds. */
const margin = 1_000;
/** Maximum duration of a request whose rate limit headers count as current, in milliseconds. */
const maxHeaderAge = 5_000;
/** Maximum jitter between requests that waited for the same time, in milliseconds. */
const maxJitter = 1_000;
/** Share of the limit that submissions leave to polls. */
export const readShare = 0.18;
/** Maximum number of requests that the own count includes. Only headers or a 429 enforce a higher limit. */
const maxRemembered = 10_000;
/** Maximum delay of a queued request, in milliseconds. Own counts use a window that is longer by the margin. */
const maxDelay = maxRetryAfter + margin;

/** Queue that a request waits in. Reads and submissions take turns. */
export type QueueName = "submit" | "read";

/** Ends the wait of a queued request: with its number if it may be sent, or with 0 if it is refused. */
type Release = (requestNumber: number) => void;

/**
 * Delays requests of a client to the service. A 429 delays all requests. If the limit is known, no request is sent that
 * would certainly exceed it.
 */
export class RateLimiter {
  /** Number of requests sent. */
  sent = 0;
  /** Requests per minute, from headers or the account. */
  limit: number | undefined;
  /** If true, waits are pending, and submissions leave a share of the limit to polls. */
  isPolling = false;
  readonly #clock: Clock;
  readonly #random: () => number;
  #blockedUntil = 0;
  #lastNow = 0;
  #fromHeaders: RateLimit | undefined;
  /** Number of the request whose response had these headers. */
  #fromRequest = 0;
  /** Times of the last requests, in milliseconds since 1970. */
  readonly #sentAt: number[] = [];
  readonly #queues = { submit: new Set<Release>(), read: new Set<Release>() } as const;
  #nextQueue: QueueName = "read";
  #timer: unknown;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Delays all requests by at least `delay` milliseconds. */
  block(delay: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, this.#now() + delay);
  }

  /** Returns the number of a request that may be sent now, or 0 if it has to wait. */
  tryAcquire(queue: QueueName): number {
    return this.#queues[queue].size > 0 || this.delay(queue) > 0 ? 0 : this.#count();
  }

  /** Waits until a request may be sent and returns its number. Returns 0 if that would take too long. */
  async acquire(queue: QueueName, deadline: Deadline): Promise<number> {
    const waiting = this.#queues[queue];
    const delay = this.delay(queue);
    const windows = Math.floor(waiting.size / (this.limit ?? Number.POSITIVE_INFINITY));
    if (delay > maxDelay || delay + windows * rateWindow >= deadline.left()) return 0;
    let release: Release | undefined;
    const released = new Promise<number>((resolve) => {
      waiting.add((release = resolve));
    });
    this.#arm();
    try {
      return await abortable(released, deadline.signal);
    } catch {
      deadline.throwIfAborted();
      return 0;
    } finally {
      if (release) waiting.delete(release);
      this.#arm();
    }
  }

  /** Updates the rate limit from the headers of a response, and the duration of its request in milliseconds. */
  update(requestNumber: number, headers: RateLimit | undefined, duration: number): void {
    if (!headers) return;
    this.limit = headers.limit;
    // The headers may show the count at the time when the request arrived.
    if (duration > maxHeaderAge) return;
    const known = this.#fromHeaders;
    const later = headers.resetAt - (known?.resetAt ?? 0);
    const isSameWindow = Math.abs(later) < 2 * margin;
    // Responses may arrive out of order: within a window, the one with the lowest count is the latest.
    const isLower = headers.remaining + requestNumber < (known?.remaining ?? 0) + this.#fromRequest;
    const isNextWindow = later >= 2 * margin;
    if (known && !isNextWindow && !(isSameWindow && isLower)) return;
    this.#fromHeaders = headers;
    this.#fromRequest = requestNumber;
  }

  /** Current rate limit: from headers, or from own counts against the known limit. */
  get rateLimit(): RateLimit | undefined {
    const now = this.#now();
    const { limit } = this;
    const headers = this.#fromHeaders;
    const sentAt = this.#sentAt;
    const isCurrent = headers && headers.resetAt > now;
    // The service may count a request in the window after the one in which it was sent.
    const since = Math.max(now - rateWindow, isCurrent ? 0 : (headers?.resetAt ?? 0)) - margin;
    while ((sentAt[0] ?? now) <= since) sentAt.shift();
    if (isCurrent) {
      const later = this.sent - this.#fromRequest;
      return later ? { ...headers, remaining: Math.max(0, headers.remaining - later) } : headers;
    }
    if (!limit) return undefined;
    const blockedUntil = this.#blockedUntil > now && this.#blockedUntil;
    return {
      limit,
      remaining: blockedUntil ? 0 : Math.max(0, limit - sentAt.length),
      resetAt: blockedUntil || (sentAt[0] ?? now) + rateWindow + margin,
      source: "count",
    };
  }

  /** Returns the delay of the next request of a queue, in milliseconds. */
  delay(queue: QueueName): number {
    const now = this.#now();
    let sendAt = this.#blockedUntil;
    const { limit = 0, remaining = 1, resetAt = 0 } = this.rateLimit ?? {};
    if (remaining === 0) {
      sendAt = Math.max(sendAt, resetAt);
    } else if (queue === "submit" && this.isPolling && remaining < limit) {
      // Spreads the remaining submissions over time, so that polls keep a share until the reset.
      const interval = rateWindow / (limit * readShare);
      sendAt = Math.max(sendAt, resetAt - (remaining - 1) * interval);
    }
    return Math.max(0, sendAt - now);
  }

  /** Returns the time. Drops the rate limit and the count after the clock is set back, since they would hold for too long. */
  #now(): number {
    const now = this.#clock.now();
    if (now < this.#lastNow - margin) {
      this.#fromHeaders = undefined;
      this.#blockedUntil = this.#sentAt.length = 0;
    }
    return (this.#lastNow = now);
  }

  #count(): number {
    if (this.#sentAt.push(this.#now()) > maxRemembered) this.#sentAt.shift();
    return (this.sent += 1);
  }

  /** Sets the timer for the next queued request, and clears it if there is none. */
  #arm(): void {
    const waiting = this.#queues.submit.size + this.#queues.read.size;
    if (waiting === 0) this.#disarm();
    else {
      const delay = this.delay(this.#queues.read.size > 0 ? "read" : "submit");
      const at = this.#now() + delay + (this.#random() * maxJitter) / waiting;
      if (at >= this.#timerAt) return;
      this.#disarm();
      this.#timerAt = at;
      this.#timer = this.#clock.setTimeout(this.#releaseNext, at - this.#now());
    }
  }

  #disarm(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  readonly #releaseNext = (): void => {
    this.#disarm();
    const other = this.#nextQueue === "submit" ? "read" : "submit";
    for (const queue of [this.#nextQueue, other] as const) {
      const waiting = this.#queues[queue];
      const [first] = waiting;
      const delay = this.delay(queue);
      if (delay > maxDelay) for (const refuse of waiting) refuse(0);
      else if (first && delay === 0) {
        waiting.delete(first);
        this.#nextQueue = queue === "submit" ? "read" : "submit";
        first(this.#count());
        break;
      }
    }
    this.#arm();
  };
}
