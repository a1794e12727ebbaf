import { milliseconds, type Duration } from "../config/duration.ts";
import type { CallOptions } from "../config/options.ts";
import type { Answer } from "./response.ts";
import { longestTimer, type Clock } from "../config/clock.ts";

/**
 * The limit of a call over all that the call does, or of one attempt within it: a time, and the signal of the caller.
 * `close` has to be called at the end; afterwards neither a timer nor a listener on the caller's signal is left.
 */
export class Deadline {
  readonly clock: Clock;
  /** The first good answer of the service to the call. */
  answer: Answer | undefined;
  readonly #timeout: number;
  readonly #caller: AbortSignal | undefined;
  readonly #call: Deadline | undefined;
  #endsAt = 0;
  #controller: AbortController | undefined;
  #timer: unknown;
  #stop: ((reason: unknown) => void) | undefined;

  constructor(clock: Clock, timeout: number, caller?: AbortSignal, call?: Deadline) {
    this.clock = clock;
    this.#timeout = timeout;
    this.#caller = caller;
    this.#call = call;
    this.restart();
  }

  /** The limit of one attempt, which ends with the call at the latest. */
  attempt(timeout: number): Deadline {
    return new Deadline(this.clock, timeout, this.#caller, this);
  }

  /**
   * Aborted by the caller, with the caller's reason, or when the time is up. Nothing is watched before it is asked for:
   * most calls are one attempt, which watches for both.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.#onAbort();
      this.#caller?.addEventListener("abort", this.#onAbort);
      this.#watch();
    }
    return this.#controller.signal;
  }

  /** As {@link abortable} on its own signal, for one piece of work at a time, without listening to it. */
  race<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#stop = reject;
      if (this.signal.aborted) reject(this.signal.reason as Error);
      work.then(resolve, reject);
    });
  }

  /** Milliseconds until the time is up. */
  left(): number {
    const left = Math.max(0, this.#endsAt - this.clock.now());
    return Math.min(left, this.#call?.left() ?? left);
  }

  /** Whether the time is up. */
  get passed(): boolean {
    return this.left() === 0;
  }

  /** Begins to count anew, to its own limit unless another is given: something came, or went. */
  restart(timeout = this.#timeout): void {
    this.#endsAt = this.clock.now() + timeout;
    if (this.#controller) this.#watch();
  }

  /** Throws the caller's reason if the caller has aborted. */
  throwIfAborted(): void {
    this.#caller?.throwIfAborted();
  }

  /** Waits; rejects at once with the reason when the signal is aborted meanwhile. */
  async sleep(delay: number): Promise<void> {
    let timer: unknown;
    const over = new Promise<void>((resolve) => {
      timer = this.clock.setTimeout(resolve, Math.min(delay, longestTimer));
    });
    try {
      await abortable(over, this.signal);
    } finally {
      this.clock.clearTimeout(timer);
    }
  }

  close(): void {
    this.clock.clearTimeout(this.#timer);
    if (this.#controller) this.#caller?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => {
    if (this.#caller?.aborted) this.#abort(this.#caller.reason);
  };

  #abort(reason: unknown): void {
    this.#controller?.abort(reason);
    this.#stop?.(reason);
  }

  readonly #watch = (): void => {
    this.clock.clearTimeout(this.#timer);
    const left = this.left();
    if (left === 0) {
      this.#abort(new DOMException("The time of the call is up.", "TimeoutError"));
    } else if (left < Number.POSITIVE_INFINITY) {
      this.#timer = this.clock.setTimeout(this.#watch, Math.min(left, longestTimer));
    }
  };
}

/** Does work under the limits of a call, and leaves neither a timer nor a listener behind. */
export async function within<Result>(
  settings: { readonly clock: Clock },
  options: CallOptions,
  fallback: Duration,
  work: (deadline: Deadline) => Promise<Result>,
): Promise<Result> {
  const timeout = milliseconds(options.timeout ?? fallback, "timeout");
  const deadline = new Deadline(settings.clock, timeout, options.signal);
  try {
    return await work(deadline);
  } finally {
    deadline.close();
  }
}

/** What `work` gives, or the reason of the signal as soon as that is aborted; the work itself is left to end alone. */
export function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    // A signal may carry any value as its reason, and the caller gets that very value.
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
    void work.then(resolve, reject).then(() => signal.removeEventListener("abort", stop));
  });
}
