import type { ClockHost } from "./host.ts";

/** Milliseconds of the machine after which a wait is worth a notice. */
const noticeAfter = 2_000;

/** The work that a clock waits for before it moves. */
export class ClockWork {
  readonly #host: ClockHost;
  /** Timers of the machine, each with its action. */
  readonly #watches = new Map<ReturnType<typeof setTimeout>, () => void>();
  #running = 0;
  #idleWaiters: (() => void)[] = [];
  #closed = false;

  constructor(host: ClockHost) {
    this.#host = host;
  }

  get idle(): boolean {
    return this.#running === 0;
  }

  /** Resolves when the work under way has ended or waits for time. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** See `WorldClock.during`. */
  async during<T>(work: () => Promise<T>, patience?: number): Promise<T> {
    let held = true;
    const release = (): void => {
      if (held) this.#release();
      held = false;
    };
    this.#running += 1;
    const watch = this.#watch(release, patience);
    try {
      return await work();
    } finally {
      this.#clear(watch);
      release();
    }
  }

  /** See `WorldClock.outside`; calls `notice` when the wait lasts for 2 seconds of the machine. */
  async outside<T>(
    waiting: Promise<T>,
    patience: number | undefined,
    notice: (() => void) | undefined,
  ): Promise<T> {
    let left = false;
    const leave = (): void => {
      left = true;
      this.#release();
    };
    if (patience === undefined) leave();
    const watches = [this.#watch(leave, patience), notice && this.#watch(notice, noticeAfter)];
    try {
      return await waiting;
    } finally {
      for (const watch of watches) this.#clear(watch);
      if (left) this.#running += 1;
    }
  }

  /** Ends every patience now; later ones end at once. */
  close(): void {
    this.#closed = true;
    for (const [watch, act] of this.#watches) {
      this.#clear(watch);
      act();
    }
  }

  #release(): void {
    this.#running -= 1;
    if (this.#running > 0) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  /** Calls `act` after a delay of the machine; at once when closed, never without a delay. */
  #watch(act: () => void, delay: number | undefined): ReturnType<typeof setTimeout> | undefined {
    if (delay === undefined) return undefined;
    if (this.#closed) {
      act();
      return undefined;
    }
    const watch = this.#host.setTimeout(() => {
      this.#watches.delete(watch);
      act();
    }, delay);
    this.#watches.set(watch, act);
    return watch;
  }

  #clear(watch: ReturnType<typeof setTimeout> | undefined): void {
    if (watch === undefined) return;
    this.#watches.delete(watch);
    this.#host.clearTimeout(watch);
  }
}
