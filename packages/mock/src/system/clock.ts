import { ClockWork } from "./clock-work.ts";
import { milliseconds, type Duration } from "./duration.ts";
import { hasFakeTicks, host, turn, type ClockHost } from "./host.ts";
import { Timers, type Clock, type PendingTimer, type Timer } from "./timers.ts";

/** Source of a {@link SystemClock}'s time: the machine, or only `advance`. */
export type ClockMode = "real" | "manual";

export const manualStart = Date.UTC(2026, 0, 1);

/** Maximum delay of a timer of the machine. A later timer is set again after it. */
const maxHostTimeout = 2 ** 31 - 1;

/** Number of timers after which `runAll` fails, because timers set new ones without end. */
const runAllLimit = 1_000_000;

/** Milliseconds of the machine that `runUntil` waits for other work when no timer is left. */
const maxIdleTime = 10_000;

/** Event loop turns after each instant, in which callers in the same process can continue. */
const turnsPerInstant = 8;

const noTimerLeft = `runUntil: the promise is still pending, and for ${maxIdleTime} ms no timer was left to fire. It does not wait for this clock.`;

const fakeTicks =
  "runUntil: process.nextTick or queueMicrotask is fake, so requests in Node never end. " +
  'Name what to fake: sinon.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }).';

/**
 * The server's time. Every delay of the service uses it, so results do not depend on the speed of the machine. A manual
 * clock moves only by `advance`. A real clock follows the machine, and `advance` moves it ahead. Timers go by the monotonic
 * time, so a machine whose date is set changes no delay.
 */
export class SystemClock implements Clock {
  /** Source of its time, as the option `clock` sets it. */
  readonly mode: ClockMode;
  readonly #host: ClockHost;
  readonly #onMove: (() => void) | undefined;
  /** Milliseconds by which the date was moved, by `advance` and by `set`. */
  #offset: number;
  /** Milliseconds by which `advance` has moved time. */
  #moved = 0;
  readonly #timers = new Timers();
  #alarm: ReturnType<typeof setTimeout> | undefined;
  #alarmAt = Number.POSITIVE_INFINITY;
  readonly #work: ClockWork;
  #lastMove: Promise<unknown> = Promise.resolve();
  /** Number of calls of `set`, each of which ends a move in progress. */
  #era = 0;
  #noticed = false;
  #closed = false;

  /**
   * @param options.offset milliseconds by which an earlier clock was moved.
   * @param options.onMove called after each move.
   */
  constructor(
    options: {
      mode?: ClockMode;
      host?: ClockHost;
      offset?: number | undefined;
      onMove?: () => void;
    } = {},
  ) {
    this.mode = options.mode ?? "real";
    this.#host = options.host ?? host;
    this.#offset = options.offset ?? 0;
    this.#onMove = options.onMove;
    this.#work = new ClockWork(this.#host);
  }

  now(): number {
    return this.#base + this.#offset;
  }

  monotonic(): number {
    return this.#machineTime + this.#moved;
  }

  /** Milliseconds by which the date was moved. */
  get offset(): number {
    return this.#offset;
  }

  /** Number of timers that have neither fired nor been canceled. */
  get pending(): number {
    return this.#timers.pending;
  }

  /** If true, no work of `during` is in progress. */
  get idle(): boolean {
    return this.#work.idle;
  }

  setTimeout(callback: () => void, delay: number): Timer {
    const dueAt = this.monotonic() + Math.max(0, delay);
    if (this.#closed) return { dueAt };
    const timer = this.#timers.add(dueAt, callback);
    this.#setAlarm();
    return timer;
  }

  clearTimeout(timer: Timer | undefined): void {
    if (timer === undefined) return;
    // Every timer of this clock is a PendingTimer, except those set after `close`, which have no callback either.
    if (this.#timers.take(timer as PendingTimer) !== undefined) this.#setAlarm();
  }

  /** Resolves after `delay` milliseconds of this clock. */
  sleep(delay: number): Promise<void> {
    return new Promise((resolve) => this.setTimeout(resolve, delay));
  }

  /**
   * Moves time ahead and fires each timer at its own instant. Time moves on after the work that a timer starts has ended.
   * A second call begins where the first has ended.
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
      const target = this.monotonic() + length;
      const era = this.#era;
      await this.#fireUntil(target);
      if (era === this.#era) this.#moveTo(target);
      await this.#settle();
      return this.now();
    });
  }

  /**
   * Moves time ahead until no timer is left: every job and every delivery has ended.
   *
   * @returns the new time in milliseconds since 1970.
   * @throws Error when timers keep setting new ones without end.
   */
  runAll(): Promise<number> {
    return this.#afterOtherMoves(async () => {
      await this.#fireUntil(Number.POSITIVE_INFINITY, runAllLimit);
      return this.now();
    });
  }

  /**
   * Moves the clock from timer to timer until a promise settles. No timer fires after the one that settled the promise.
   * Only work of the mock stops the clock: when an app also waits for a file or a socket, timers may fire early.
   *
   * @param work the promise to wait for, such as that of a client on this clock.
   * @param limit maximum duration that the clock moves; the default is "24h".
   * @returns the value of `work`, or throws its error.
   * @throws Error when `work` is pending at the limit, or for 10 seconds while no timer is left; when `process.nextTick` or
   * `queueMicrotask` is fake, as by default with sinon.
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
    const target = this.monotonic() + length;
    let movedAt = this.#host.monotonic();
    const step = async (): Promise<boolean> => {
      if (hasFakeTicks()) throw new Error(fakeTicks);
      await this.#settle();
      if (settled) return true;
      const next = this.#timers.next();
      if (next === undefined) {
        // The work may wait for a file or a socket.
        if (this.#host.monotonic() - movedAt > maxIdleTime) throw new Error(noTimerLeft);
        return false;
      }
      if (next.dueAt > target) {
        throw new Error(
          `runUntil: the promise is still pending after ${length} ms of the clock. Pass a longer limit, or find what never settles.`,
        );
      }
      await this.#fire(next);
      movedAt = this.#host.monotonic();
      return settled;
    };
    // Other moves of the clock can run between two steps.
    for (let done = false; !done;) done = await this.#afterOtherMoves(step);
    return work;
  }

  /**
   * Runs work that stops time: `advance` moves on after the work has ended, or after `patience` milliseconds of the
   * machine. Work that depends on others needs a patience, because they may wait for time to move.
   */
  during<T>(work: () => Promise<T>, patience?: number): Promise<T> {
    return this.#work.during(work, patience);
  }

  /**
   * Waits, within `during`, for something that may need time to move: time moves on at once, or after `patience`
   * milliseconds of the machine. With `lacksTime`, a warning is logged when a manual clock does not move.
   */
  outside<T>(
    waiting: Promise<T>,
    patience?: number,
    lacksTime = patience === undefined,
  ): Promise<T> {
    return this.#work.outside(waiting, patience, lacksTime ? this.#notice() : undefined);
  }

  /** Runs work between two moves of time, when all other work has ended or waits for time. */
  still<T>(work: () => Promise<T>): Promise<T> {
    return this.#afterOtherMoves(async () => {
      await this.#settle();
      return work();
    });
  }

  /**
   * Sets the date, forward or back, and fires nothing. A move in progress ends. Timers keep their remaining time.
   *
   * @param instant the new date; the default is the start, which for a real clock is the machine's date.
   */
  set(instant?: number): void {
    this.#era += 1;
    this.#offset = instant === undefined ? 0 : instant - this.#base;
    this.#onMove?.();
  }

  /** Clears all timers; timers set afterwards never fire. */
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

  /** Creates a function that warns, once per clock, of a request that waits for a manual clock to move. */
  #notice(): (() => void) | undefined {
    if (this.mode === "real" || this.#noticed) return undefined;
    const since = this.monotonic();
    const era = this.#era;
    return () => {
      // A request from before the last `set` has already ended.
      if (this.#noticed || this.#closed || this.monotonic() !== since || this.#era !== era) return;
      this.#noticed = true;
      this.#host.warn(
        "tryon-mock: a request has been waiting for 2 seconds on a manual clock that does not move. " +
          'Move it with clock.advance("2s") or clock.runAll(), or leave out clock: "manual".',
      );
    };
  }

  async #fireUntil(target: number, limit = Number.POSITIVE_INFINITY): Promise<void> {
    const era = this.#era;
    await this.#settle();
    for (let fired = 0; era === this.#era; fired += 1) {
      const next = this.#timers.next();
      if (next === undefined || next.dueAt > target) return;
      if (fired === limit) {
        throw new Error(
          `runAll fired ${limit} timers and more are set: something sets timers without end. Use advance() with a duration.`,
        );
      }
      await this.#fire(next);
    }
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
    const length = instant - this.monotonic();
    if (length <= 0) return;
    this.#offset += length;
    // Exactly, or a timer that compares its time with the clock would be set again at this instant.
    this.#moved = instant - this.#machineTime;
    this.#onMove?.();
  }

  get #base(): number {
    return this.mode === "manual" ? manualStart : this.#host.now();
  }

  get #machineTime(): number {
    return this.mode === "manual" ? 0 : this.#host.monotonic();
  }

  #setAlarm(): void {
    if (this.mode === "manual") return;
    const dueAt = this.#timers.next()?.dueAt ?? Number.POSITIVE_INFINITY;
    if (dueAt === this.#alarmAt) return;
    this.#host.clearTimeout(this.#alarm);
    this.#alarm = undefined;
    this.#alarmAt = dueAt;
    if (dueAt === Number.POSITIVE_INFINITY) return;
    const delay = Math.min(Math.max(0, dueAt - this.monotonic()), maxHostTimeout);
    this.#alarm = this.#host.setTimeout(() => this.#onAlarm(), delay);
  }

  #onAlarm(): void {
    this.#alarmAt = Number.POSITIVE_INFINITY;
    for (let next = this.#timers.next(); next !== undefined; next = this.#timers.next()) {
      if (next.dueAt > this.monotonic()) break;
      this.#timers.take(next)?.();
    }
    this.#setAlarm();
  }
}
