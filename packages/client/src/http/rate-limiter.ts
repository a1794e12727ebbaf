import type { RateLimit } from "../types/attempt.ts";
import type { ClientClock } from "../config/clock.ts";
import { abortable, type Deadline } from "./deadline.ts";
import { delayOf, maxRetryAfter } from "./retry-policy.ts";

export const rateWindow = 60_000;
/** Maximum time between sending a request and its arrival, in milliseconds. */
const margin = 1_000;
/** Maximum duration of a request whose rate limit headers count as current, in milliseconds. */
const maxHeaderAge = 5_000;
export const maxJitter = 1_000;
export const readShare = 0.18;
/** Maximum delay of a queued request, in milliseconds. Own counts use a window that is longer by the margin. */
export const maxDelay = maxRetryAfter + margin;

export type QueueName = "submit" | "read";

export interface RequestLimiter {
  isPolling: boolean;
  /** Requests in a minute, if known. */
  limit: number | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** Returns the delay of the next request, in milliseconds. */
  delay(queue: QueueName): number;
  /** Waits until a request may be sent and returns its number. Returns 0 if that would take too long, or `waits` is false. */
  acquire(queue: QueueName, deadline: Deadline, waits?: boolean): Promise<number>;
  update(requestNumber: number, headers: RateLimit | undefined, duration: number): void;
  /** Delays all requests, in milliseconds. */
  block(delay: number): void;
}

interface Queue {
  length: number;
  last: Promise<unknown>;
}

/**
 * Delays requests of a client to the service. A 429 delays all requests. If the limit is known, no request is sent that
 * would certainly exceed it.
 */
export class RateLimiter implements RequestLimiter {
  sent = 0;
  limit: number | undefined;
  isPolling = false;
  readonly #clock: ClientClock;
  readonly #random: () => number;
  // Times of the limiter are monotonic.
  #blockedUntil = 0;
  /** Window of the last headers: its end, when they arrived, and the number of the last request that they allow. */
  #window = { resetAt: 0, receivedAt: 0, lastRequest: 0 };
  readonly #sentAt: number[] = [];
  /** Two, so that many reads do not delay a submission for long, nor the reverse. */
  readonly #queues: Readonly<Record<QueueName, Queue>> = {
    submit: { length: 0, last: Promise.resolve() },
    read: { length: 0, last: Promise.resolve() },
  };

  constructor(clock: ClientClock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  block(delay: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, this.#clock.monotonic() + delay);
  }

  async acquire(name: QueueName, deadline: Deadline, waits = true): Promise<number> {
    const queue = this.#queues[name];
    const delay = this.delay(name);
    if (queue.length === 0 && delay === 0) return this.#count();
    if (!waits) return 0;
    const windows = Math.floor(queue.length / (this.limit ?? Infinity));
    if (delay > maxDelay || delay + windows * rateWindow >= deadline.left()) return 0;
    queue.length += 1;
    const acquired = queue.last.then(() => this.#acquireNext(name, deadline));
    queue.last = acquired.catch(() => undefined);
    try {
      return await abortable(acquired, deadline.signal);
    } catch {
      deadline.throwIfAborted();
      return 0;
    } finally {
      queue.length -= 1;
    }
  }

  update(requestNumber: number, headers: RateLimit | undefined, duration: number): void {
    if (!headers) return;
    this.limit = headers.limit;
    // The headers may show the count at the time when the request arrived.
    if (duration > maxHeaderAge) return;
    const now = this.#clock.monotonic();
    const resetAt = headers.resetAt - this.#clock.now() + now;
    const lastRequest = requestNumber + headers.remaining;
    const later = resetAt - this.#window.resetAt;
    // Responses may arrive out of order: within a window, the one with the lowest count is the latest.
    const isLower = lastRequest < this.#window.lastRequest && later > -2 * margin;
    if (isLower || later >= 2 * margin) {
      this.#window = { resetAt, receivedAt: now, lastRequest };
    }
  }

  get rateLimit(): RateLimit | undefined {
    const now = this.#clock.monotonic();
    const known = this.#read(now);
    return known && { ...known, resetAt: Math.ceil(known.resetAt - now + this.#clock.now()) };
  }

  #read(now: number): RateLimit | undefined {
    const { limit } = this;
    const { resetAt, lastRequest } = this.#window;
    const isCurrent = resetAt > now;
    const sentAt = this.#sentAt;
    // The service may count a request in the window after the one in which it was sent.
    const since = Math.max(now - rateWindow, isCurrent ? 0 : resetAt) - margin;
    while ((sentAt[0] ?? now) <= since) sentAt.shift();
    if (!limit) return undefined;
    if (isCurrent) {
      const remaining = Math.max(0, lastRequest - this.sent);
      return { limit, remaining, resetAt, source: "headers" };
    }
    const blockedUntil = this.#blockedUntil > now && this.#blockedUntil;
    return {
      limit,
      remaining: blockedUntil ? 0 : Math.max(0, limit - sentAt.length),
      resetAt: blockedUntil || (sentAt[0] ?? now) + rateWindow + margin,
      source: "count",
    };
  }

  delay(queue: QueueName): number {
    const now = this.#clock.monotonic();
    let sendAt = this.#blockedUntil;
    const { limit = 0, remaining = 1, resetAt = 0, source } = this.#read(now) ?? {};
    if (remaining === 0) {
      // A wrong time, such as one of another time zone, delays a request by one window at most.
      const latest = source === "headers" ? this.#window.receivedAt + rateWindow : resetAt;
      sendAt = Math.max(sendAt, Math.min(resetAt, latest));
    } else if (queue === "submit" && this.isPolling && remaining < limit) {
      // Spreads the remaining submissions over time, so that polls keep a share until the reset.
      const interval = rateWindow / (limit * readShare);
      sendAt = Math.max(sendAt, resetAt - (remaining - 1) * interval);
    }
    return Math.ceil(Math.max(0, sendAt - now));
  }

  /** Waits as the first request of a queue. Both queues have the same jitter, so that they advance alike. */
  async #acquireNext(name: QueueName, deadline: Deadline): Promise<number> {
    const { submit, read } = this.#queues;
    do {
      const delay = this.delay(name);
      if (delay > maxDelay) return 0;
      const jitter = (this.#random() * maxJitter) / (submit.length + read.length);
      await deadline.sleep(delay + jitter);
    } while (this.delay(name) > 0);
    return this.#count();
  }

  #count(): number {
    this.#sentAt.push(this.#clock.monotonic());
    return (this.sent += 1);
  }
}

export function readRateLimit(headers: Pick<Headers, "get">, now: number): RateLimit | undefined {
  const read = (name: string): number =>
    Number.parseInt(String(headers.get(`x-ratelimit-${name}`)));
  const limit = read("limit");
  // Most responses have no such header, and reading each one takes time.
  if (!(limit > 0)) return undefined;
  const remaining = read("remaining");
  const delay = delayOf(headers, "x-ratelimit-reset", now);
  if (Number.isNaN(remaining) || delay === undefined) return undefined;
  return { limit, remaining, resetAt: now + delay, source: "headers" };
}
