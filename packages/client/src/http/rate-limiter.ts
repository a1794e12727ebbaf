import type { Clock } from "../config/clock.ts";
import { abortable, type Deadline } from "./deadline.ts";
import type { RateLimit } from "./rate-limit.ts";
import { longestRetryAfter } from "./retry-policy.ts";

/** What requests are counted over, in milliseconds. */
const rateWindow = 60_000;
/** By how much a request may arrive later than it was sent, in milliseconds. */
const margin = 1_000;
/** What an answer that took longer says is out of date, in milliseconds. */
const longestNews = 5_000;
/** How far apart calls are let in that waited for the same moment, in milliseconds. */
const spread = 1_000;
/** The part of the limit that submissions leave to those who wait for jobs. */
export const readShare = 0.18;
/** No more requests are remembered; a limit above this is heard of by headers, or a 429. */
const longestLog = 10_000;

/** Where a request waits: with those that read, or with those that make something. */
export type Line = 0 | 1;

/** Lets one in, with the number of its request, or with 0 when it is not to be sent. */
type Enter = (ticket: number) => void;

/**
 * What every request of a client to the service goes through. A 429 to one of them holds back all, and as far as the limit
 * is known none is let in that is certain to break it.
 */
export class Gate {
  readonly #clock: Clock;
  readonly #random: () => number;
  #openAt = 0;
  #latest = 0;
  #heard: RateLimit | undefined;
  /** The number of the request that was heard of last. */
  #heardOf = 0;
  /** When the last of them were. */
  readonly #log: number[] = [];
  /** Those that wait: to submit, and to read. Each line is let in by its order, the two in turn. */
  readonly #lines = [new Set<Enter>(), new Set<Enter>()] as const;
  #turn: Line = 1;
  #timer: unknown;
  #timerAt = Number.POSITIVE_INFINITY;
  /** How many requests were let in. */
  sent = 0;
  /** Requests a minute, once the service has said how many. */
  limit: number | undefined;
  /** Whether somebody waits for jobs, which submissions then leave some room for. */
  watched = false;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Lets nothing in for so many milliseconds. */
  close(pause: number): void {
    this.#openAt = Math.max(this.#openAt, this.#now() + pause);
  }

  /** Lets a request in and gives its number, or 0 when it has to wait. */
  enter(line: Line): number {
    return this.#lines[line].size > 0 || this.wait(line) > 0 ? 0 : this.#count();
  }

  /** Waits to be let in. Gives 0 when that would take too long, and nothing is to be sent. */
  async queue(line: Line, deadline: Deadline): Promise<number> {
    const waiting = this.#lines[line];
    const wait = this.wait(line);
    const turns = Math.floor(waiting.size / (this.limit ?? Number.POSITIVE_INFINITY));
    if (wait > longestWait || wait + turns * rateWindow >= deadline.left()) return 0;
    let enter: Enter | undefined;
    const turn = new Promise<number>((resolve) => {
      waiting.add((enter = resolve));
    });
    this.#arm();
    try {
      return await abortable(turn, deadline.signal);
    } catch {
      deadline.throwIfAborted();
      return 0;
    } finally {
      if (enter) waiting.delete(enter);
      this.#arm();
    }
  }

  /** Takes what the answer to a request says of the limit, and how many milliseconds it took to come. */
  hear(ticket: number, heard: RateLimit | undefined, took: number): void {
    if (!heard) return;
    this.limit = heard.limit;
    // A service may say what is left, and how long until the reset, as it was when the request arrived.
    if (took > longestNews) return;
    const known = this.#heard;
    const later = heard.resetAt - (known?.resetAt ?? 0);
    const isSame = Math.abs(later) < 2 * margin;
    // Requests overtake each other on the way: of one window, the answer counts that leaves the least.
    const isLess = heard.remaining + ticket < (known?.remaining ?? 0) + this.#heardOf;
    if (known && (isSame ? !isLess : later < 0)) return;
    this.#heard = heard;
    this.#heardOf = ticket;
  }

  /** What is known of the limit now. */
  get rateLimit(): RateLimit | undefined {
    const now = this.#now();
    const { limit } = this;
    const heard = this.#heard;
    const log = this.#log;
    const isFresh = heard && heard.resetAt > now;
    // A request may have been counted in the window after the one that it was sent in.
    const since = Math.max(now - rateWindow, isFresh ? 0 : (heard?.resetAt ?? 0)) - margin;
    while ((log[0] ?? now) <= since) log.shift();
    if (isFresh) {
      const later = this.sent - this.#heardOf;
      return later ? { ...heard, remaining: Math.max(0, heard.remaining - later) } : heard;
    }
    if (!limit) return undefined;
    const closedUntil = this.#openAt > now && this.#openAt;
    return {
      limit,
      remaining: closedUntil ? 0 : Math.max(0, limit - log.length),
      resetAt: closedUntil || (log[0] ?? now) + rateWindow + margin,
      source: "count",
    };
  }

  /** Milliseconds until a request is let in. */
  wait(line: Line): number {
    const now = this.#now();
    let opensAt = this.#openAt;
    const { limit = 0, remaining = 1, resetAt = 0 } = this.rateLimit ?? {};
    if (remaining === 0) {
      opensAt = Math.max(opensAt, resetAt);
    } else if (line === 0 && this.watched && remaining < limit) {
      // What is left falls to submissions bit by bit, so that until the reset there is always some for looks.
      const each = rateWindow / (limit * readShare);
      opensAt = Math.max(opensAt, resetAt - (remaining - 1) * each);
    }
    return Math.max(0, opensAt - now);
  }

  /** The time. All that is known was known by a clock that is set back, and would hold for as long as that is. */
  #now(): number {
    const now = this.#clock.now();
    if (now < this.#latest - margin) {
      this.#heard = undefined;
      this.#openAt = this.#log.length = 0;
    }
    return (this.#latest = now);
  }

  #count(): number {
    if (this.#log.push(this.#now()) > longestLog) this.#log.shift();
    return (this.sent += 1);
  }

  /** Sets the timer for the next of those that wait; none is left when nobody does. */
  #arm(): void {
    const waiting = this.#lines[0].size + this.#lines[1].size;
    if (waiting === 0) this.#disarm();
    else {
      const wait = this.wait(this.#lines[1].size > 0 ? 1 : 0);
      const at = this.#now() + wait + (this.#random() * spread) / waiting;
      if (at >= this.#timerAt) return;
      this.#disarm();
      this.#timerAt = at;
      this.#timer = this.#clock.setTimeout(this.#open, at - this.#now());
    }
  }

  #disarm(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  readonly #open = (): void => {
    this.#disarm();
    for (const line of [this.#turn, this.#turn === 0 ? 1 : 0] as const) {
      const waiting = this.#lines[line];
      const [first] = waiting;
      const wait = this.wait(line);
      if (wait > longestWait) for (const refuse of waiting) refuse(0);
      else if (first && wait === 0) {
        waiting.delete(first);
        this.#turn = line === 0 ? 1 : 0;
        first(this.#count());
        break;
      }
    }
    this.#arm();
  };
}

/** What is counted here is counted over a little more than a minute. */
const longestWait = longestRetryAfter + margin;
