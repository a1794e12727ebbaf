import type { SystemClock } from "./clock.ts";
import { SeededRandom } from "./random.ts";
import type { Clock, Timer } from "./timers.ts";

/** The only source of time and randomness in the server. */
export interface System {
  readonly clock: ServerStateClock;
  readonly random: SeededRandom;
  readonly scheduler: Scheduler;
}

export function createSystem(parts: { clock: SystemClock; seed: string }): System {
  const clock = new ServerStateClock(parts.clock);
  return { clock, random: new SeededRandom(parts.seed), scheduler: new Scheduler(clock) };
}

/**
 * The system clock as one state of the server uses it. The server shares the clock with clients and tests; when its state
 * is replaced, only its own timers are cleared.
 */
export class ServerStateClock implements Clock {
  readonly during: SystemClock["during"];
  readonly outside: SystemClock["outside"];
  readonly #clock: SystemClock;
  readonly #timers = new Set<Timer>();
  #ended = false;

  constructor(clock: SystemClock) {
    this.#clock = clock;
    this.during = clock.during.bind(clock);
    this.outside = clock.outside.bind(clock);
  }

  now(): number {
    return this.#clock.now();
  }

  setTimeout(callback: () => void, delay: number): Timer {
    // Work of a replaced state may still set timers; they must not fire.
    if (this.#ended) return { dueAt: this.now() + delay };
    const timer = this.#clock.setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, delay);
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: Timer | undefined): void {
    if (timer === undefined) return;
    this.#timers.delete(timer);
    this.#clock.clearTimeout(timer);
  }

  /** Waits for work, and returns undefined after `delay` milliseconds of this clock. The work goes on. */
  async within<T>(delay: number, work: () => Promise<T>): Promise<T | undefined> {
    const timeout = Promise.withResolvers<undefined>();
    const timer = this.setTimeout(() => timeout.resolve(undefined), delay);
    try {
      return await this.outside(Promise.race([work(), timeout.promise]));
    } finally {
      this.clearTimeout(timer);
    }
  }

  /** Clears all timers of this state; timers set afterwards never fire. */
  end(): void {
    this.#ended = true;
    for (const timer of this.#timers) this.#clock.clearTimeout(timer);
    this.#timers.clear();
  }
}

/** Work of the server that is due at a time, as data. */
export interface ScheduledTask {
  readonly kind: "job-end" | "delivery";
  /** The id of the job or delivery. */
  readonly id: string;
  readonly dueAt: number;
}

/** Runs tasks when they are due. Unlike timers, tasks can be saved and restored. */
class Scheduler {
  readonly #clock: ServerStateClock;
  readonly #handlers = new Map<ScheduledTask["kind"], (id: string) => void>();
  readonly #entries = new Map<string, { task: ScheduledTask; timer: Timer }>();

  constructor(clock: ServerStateClock) {
    this.#clock = clock;
  }

  /** Sets the handler of a kind of task. */
  on(kind: ScheduledTask["kind"], handler: (id: string) => void): void {
    this.#handlers.set(kind, handler);
  }

  /** Adds a task, or replaces the one of the same kind and id. */
  add(task: ScheduledTask): void {
    const { kind, id, dueAt } = task;
    const name = `${kind} ${id}`;
    this.#clock.clearTimeout(this.#entries.get(name)?.timer);
    this.#entries.delete(name);
    const timer = this.#clock.setTimeout(() => {
      this.#entries.delete(name);
      this.#handlers.get(kind)?.(id);
    }, dueAt - this.#clock.now());
    this.#entries.set(name, { task, timer });
  }

  /** Pending tasks in the order of their `add`, which orders tasks of one instant. */
  get tasks(): readonly ScheduledTask[] {
    return Array.from(this.#entries.values(), ({ task }) => task);
  }
}
