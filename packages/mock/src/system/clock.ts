import { ClockWork } from "./clock-work.ts";
import { milliseconds, type Duration } from "./duration.ts";
import { host, turn, type ClockHost } from "./host.ts";
import { Timers, type PendingTimer } from "./timers.ts";

/** A timer that was set on a {@link Clock}; opaque. */
export interface Timer {
  readonly dueAt: number;
}

/** The part of a clock that others may be put on: the client takes one as its `clock` option. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Calls `callback` once, after `delay` milliseconds of this clock. */
  setTimeout(callback: () => void, delay: number): Timer;
  /** Takes a timer back; does nothing for one that has fired. */
  clearTimeout(timer: Timer | undefined): void;
}

/** How a {@link SystemClock} gets its time: from the machine, or only from `advance`. */
export type ClockMode = "real" | "manual";

/** Where a manual clock starts when nothing else is said: 2026-01-01T00:00:00Z. */
export const manualStart = Date.UTC(2026, 0, 1);

/** A machine cannot count down further than this; a later timer is looked at again after it. */
const longestHostTimeout = 2 ** 31 - 1;

/** How many timers `runAll` fires before it takes the chain of timers for an endless one. */
const runAllLimit = 1_000_000;

/** How many milliseconds of the machine `runUntil` waits for something to happen when no timer is left. */
const runUntilPatience = 10_000;

/** Event loop turns that callers in the same process get after each instant, before time moves on. */
const turnsPerInstant = 8;

const noTimerLeft = `runUntil: the promise is still pending, and for ${runUntilPatience} ms no timer was left to fire. It waits for something other than this clock, or for nothing.`;

/**
 * The server's own time. Every delay of the service hangs on it and none on the machine's timers, so a test moves time
 * by `advance` and the result does not depend on how fast the machine is. With `mode: "real"` time runs by itself and
 * `advance` jumps ahead of it.
 */
export class SystemClock implements Clock {
  readonly mode: ClockMode;
  readonly #host: ClockHost;
  readonly #startAt: number;
  #instant: number;
  #offset = 0;
  readonly #timers = new Timers();
  #alarm: ReturnType<typeof setTimeout> | undefined;
  #alarmAt = Number.POSITIVE_INFINITY;
  readonly #work: ClockWork;
  #lastMove: Promise<unknown> = Promise.resolve();
  /** Goes up when time is set: a move that was under way then ends. */
  #era = 0;
  #noticed = false;
  #closed = false;

  constructor(options: { mode?: ClockMode; startAt?: number; host?: ClockHost } = {}) {
    this.mode = options.mode ?? "real";
    this.#host = options.host ?? host;
    this.#work = new ClockWork(this.#host);
    this.#startAt = options.startAt ?? manualStart;
    this.#instant = this.#startAt;
  }

  now(): number {
    return this.mode === "manual" ? this.#instant : this.#host.now() + this.#offset;
  }

  /** How many timers have neither fired nor been taken back. */
  get pending(): number {
    return this.#timers.pending;
  }

  /** Whether no work is under way that time would wait for. */
  get idle(): boolean {
    return this.#work.idle;
  }

  setTimeout(callback: () => void, delay: number): Timer {
    const timer = this.#timers.make(this.now() + Math.max(0, delay), callback);
    if (this.#closed) return timer;
    this.#timers.add(timer);
    this.#setAlarm();
    return timer;
  }

  clearTimeout(timer: Timer | undefined): void {
    if (timer === undefined) return;
    // Only this class makes timers, so each one that comes back is a PendingTimer.
    if (this.#timers.take(timer as PendingTimer) !== undefined) this.#setAlarm();
  }

  /** Resolves after `delay` milliseconds of this clock. */
  sleep(delay: number): Promise<void> {
    return new Promise((resolve) => this.setTimeout(resolve, delay));
  }

  /**
   * Moves time ahead, firing every timer on the way at its own instant and letting the work that it starts end before
   * time moves on. A second call begins where the first has ended.
   *
   * @returns the new time in milliseconds since 1970.
   * @example
   * ```ts
   * await mock.clock.advance("21s");
   * ```
   */
  async advance(duration: Duration): Promise<number> {
    const length = milliseconds(duration);
    return this.#afterOtherMoves(async () => {
      const target = this.now() + length;
      const era = this.#era;
      await this.#settle();
      while (era === this.#era) {
        const next = this.#timers.next();
        if (next === undefined || next.dueAt > target) break;
        await this.#fire(next);
      }
      if (era === this.#era) this.#moveTo(target);
      await this.#settle();
      return this.now();
    });
  }

  /**
   * Moves time ahead until no timer is left: every job has ended and every delivery has been tried to its end.
   *
   * @returns the new time in milliseconds since 1970.
   * @throws Error when timers keep setting new ones without end.
   */
  runAll(): Promise<number> {
    return this.#afterOtherMoves(async () => {
      const era = this.#era;
      await this.#settle();
      for (let fired = 0; ; fired += 1) {
        const next = this.#timers.next();
        if (next === undefined || era !== this.#era) return this.now();
        if (fired === runAllLimit) {
          throw new Error(
            `runAll fired ${runAllLimit} timers and there is always another: something sets timers without end. Use advance() with a duration.`,
          );
        }
        await this.#fire(next);
      }
    });
  }

  /**
   * Moves the clock from timer to timer until a promise settles. The time it ends at is exact: no timer is fired after
   * the one that settled the promise. Only work of the mock holds the clock: an app that also waits for something real,
   * such as a file, may see its timers fire early.
   *
   * @param work the promise to wait for, such as that of a call of the client on this clock.
   * @param limit how far the clock may move; the default is "24h".
   * @returns the value of `work`, or throws its error.
   * @throws Error when `work` is pending at the limit, or for 10 seconds while no timer is left.
   * @example
   * ```ts
   * const result = await mock.clock.runUntil(tryon.run(input));
   * ```
   */
  async runUntil<Result>(work: Promise<Result>, limit: Duration = "24h"): Promise<Result> {
    let settled = false;
    const settle = (): void => {
      settled = true;
    };
    work.then(settle, settle);
    const length = milliseconds(limit);
    const target = this.now() + length;
    let movedAt = this.#host.now();
    const step = async (): Promise<boolean> => {
      await this.#settle();
      if (settled) return true;
      const next = this.#timers.next();
      if (next === undefined) {
        // Something outside of the clock is at work, such as a file or a socket.
        if (this.#host.now() - movedAt > runUntilPatience) throw new Error(noTimerLeft);
        return false;
      }
      if (next.dueAt > target) {
        throw new Error(
          `runUntil: the promise is still pending after ${length} ms of the clock. Pass a longer limit, or find what never settles.`,
        );
      }
      await this.#fire(next);
      movedAt = this.#host.now();
      return settled;
    };
    // One step at a time, so that other moves of the clock can come between.
    for (let done = false; !done;) done = await this.#afterOtherMoves(step);
    return work;
  }

  /**
   * Runs work that time must wait for: `advance` does not move on before it has ended. Work that depends on others, who
   * may themselves wait for time to move, gets `patience`, in milliseconds of the machine; then time moves on without it.
   */
  during<T>(work: () => Promise<T>, patience?: number): Promise<T> {
    return this.#work.during(work, patience);
  }

  /**
   * Within `during`: waits for something that may itself need time to move. With `patience`, in milliseconds of the
   * machine, time stands still for that long at most. Where it is time that may be lacking, which is what is waited for
   * without patience, somebody is told when a manual clock stands still.
   */
  outside<T>(
    waiting: Promise<T>,
    patience?: number,
    lacksTime = patience === undefined,
  ): Promise<T> {
    return this.#work.outside(waiting, patience, lacksTime ? this.#notice() : undefined);
  }

  /** Does something between two moves of time, when no work is under way but what waits for time itself. */
  still<T>(work: () => Promise<T>): Promise<T> {
    return this.#afterOtherMoves(async () => {
      await this.#settle();
      return work();
    });
  }

  /**
   * Sets the time, forward or back, and fires nothing; a move that is under way ends. Timers keep the time that they
   * had left.
   *
   * @param instant the new time; left out, that of the start: a real clock then has the machine's time again.
   */
  set(instant?: number): void {
    this.#era += 1;
    const before = this.now();
    if (this.mode === "manual") this.#instant = instant ?? this.#startAt;
    else this.#offset = instant === undefined ? 0 : instant - this.#host.now();
    this.#timers.shift(this.now() - before);
    this.#host.clearTimeout(this.#alarm);
    this.#alarmAt = Number.POSITIVE_INFINITY;
    this.#setAlarm();
  }

  /** Forgets all timers without firing them; those that are set from now on never fire. */
  close(): void {
    this.#closed = true;
    this.#work.close();
    this.#timers.clear();
    this.#setAlarm();
  }

  #afterOtherMoves<T>(move: () => Promise<T>): Promise<T> {
    const moved = this.#lastMove.then(move, move);
    this.#lastMove = moved.catch(() => undefined);
    return moved;
  }

  /** Makes what warns, once, of a call that waits on a manual clock which nobody moves. */
  #notice(): (() => void) | undefined {
    if (this.mode === "real" || this.#noticed) return undefined;
    const since = this.#instant;
    const era = this.#era;
    return () => {
      // A call that was left behind when time was set waits for nothing any more.
      if (this.#noticed || this.#closed || this.#instant !== since || this.#era !== era) return;
      this.#noticed = true;
      this.#host.warn(
        "tryon-mock: a call has been waiting for 2 seconds on a manual clock that nobody moves. " +
          'Move it with clock.advance("2s") or clock.runAll(), or leave out clock: "manual".',
      );
    };
  }

  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < turnsPerInstant; quiet += 1) {
      await turn();
      if (!this.#work.idle) {
        await this.#work.whenIdle();
        quiet = 0;
      }
    }
  }

  async #fire(timer: PendingTimer): Promise<void> {
    this.#moveTo(timer.dueAt);
    this.#timers.take(timer)?.();
    await this.#settle();
  }

  #moveTo(instant: number): void {
    if (instant <= this.now()) return;
    if (this.mode === "manual") this.#instant = instant;
    else this.#offset += instant - this.now();
  }

  #setAlarm(): void {
    if (this.mode === "manual") return;
    const dueAt = this.#timers.next()?.dueAt ?? Number.POSITIVE_INFINITY;
    if (dueAt === this.#alarmAt) return;
    this.#host.clearTimeout(this.#alarm);
    this.#alarm = undefined;
    this.#alarmAt = dueAt;
    if (dueAt === Number.POSITIVE_INFINITY) return;
    const delay = Math.min(Math.max(0, dueAt - this.now()), longestHostTimeout);
    this.#alarm = this.#host.setTimeout(() => this.#ring(), delay);
  }

  #ring(): void {
    this.#alarmAt = Number.POSITIVE_INFINITY;
    for (let next = this.#timers.next(); next !== undefined; next = this.#timers.next()) {
      if (next.dueAt > this.now()) break;
      this.#timers.take(next)?.();
    }
    this.#setAlarm();
  }
}
