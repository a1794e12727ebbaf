import type { ClockHost } from "./host.ts";

/** Milliseconds of the machine after which a wait is logged. */
const noticeAfter = 2_000;

export class ClockWork {
  readonly #host: ClockHost;
  readonly #hostTimers = new Map<ReturnType<typeof setTimeout>, () => void>();
  #running = 0;
  #idleWaiters: (() => void)[] = [];
  #closed = false;

  constructor(host: ClockHost) {
    this.#host = host;
  }

  get idle(): boolean {
    // Work whose patience ends while it waits for time is subtracted twice.
    return this.#running <= 0;
  }

  whenIdle(): Promise<void> {
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** See `SystemClock.during`. */
  async during<T>(work: () => Promise<T>, patience?: number): Promise<T> {
    this.#running += 1;
    let counted = true;
    const release = (): void => {
      if (counted) this.#release();
      counted = false;
    };
    const timer = this.#setTimeout(release, patience);
    try {
      return await work();
    } finally {
      this.#clearTimeout(timer);
      release();
    }
  }

  /** See `SystemClock.outside`; calls `notice` after 2 seconds of the machine. */
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
    const timers = [
      this.#setTimeout(leave, patience),
      notice && this.#setTimeout(notice, noticeAfter),
    ];
    try {
      return await waiting;
    } finally {
      for (const timer of timers) this.#clearTimeout(timer);
      if (left) this.#running += 1;
    }
  }

  close(): void {
    this.#closed = true;
    for (const [timer, act] of this.#hostTimers) {
      this.#clearTimeout(timer);
      act();
    }
  }

  #release(): void {
    this.#running -= 1;
    if (this.#running > 0) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  /** Calls `act` after a delay of the machine, at once when closed, or never without a delay. */
  #setTimeout(
    act: () => void,
    delay: number | undefined,
  ): ReturnType<typeof setTimeout> | undefined {
    if (delay === undefined) return undefined;
    if (this.#closed) {
      act();
      return undefined;
    }
    const timer = this.#host.setTimeout(() => {
      this.#hostTimers.delete(timer);
      act();
    }, delay);
    this.#hostTimers.set(timer, act);
    return timer;
  }

  #clearTimeout(timer: ReturnType<typeof setTimeout> | undefined): void {
    if (timer) this.#hostTimers.delete(timer);
    this.#host.clearTimeout(timer);
  }
}
