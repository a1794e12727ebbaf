import { milliseconds, type Duration } from "../duration.ts";
import type { CallOptions } from "../options.ts";
import type { Answer } from "./answer.ts";
import { longestTimer, type Clock } from "./clock.ts";

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
  readonly #controller = new AbortController();
  /** Whether the time is up, as opposed to the caller having aborted. */
  passed = false;
  #endsAt = 0;
  #timer: unknown;

  constructor(clock: Clock, timeout: number, caller?: AbortSignal) {
    this.clock = clock;
    this.#timeout = timeout;
    this.#caller = caller;
    this.restart();
    if (caller?.aborted === true) this.#onAbort();
    else caller?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Aborted by the caller, with the caller's reason, or when the time is up. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds until the time is up. */
  left(): number {
    return Math.max(0, this.#endsAt - this.clock.now());
  }

  /** Begins to count anew, to its own limit unless another is given: something came, or went. */
  restart(timeout = this.#timeout): void {
    this.pause();
    this.#endsAt = this.clock.now() + timeout;
    this.#arm();
  }

  /** Stops counting until it begins anew. */
  pause(): void {
    this.clock.clearTimeout(this.#timer);
  }

  /** Throws the caller's reason if the caller has aborted. */
  throwIfAborted(): void {
    if (!this.passed) this.signal.throwIfAborted();
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
    this.pause();
    this.#caller?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => {
    this.#controller.abort(this.#caller?.reason);
  };

  #arm(): void {
    const left = this.left();
    if (left === Number.POSITIVE_INFINITY) return;
    this.#timer = this.clock.setTimeout(
      () => {
        if (this.left() > 0) return this.#arm();
        this.passed = !this.signal.aborted;
        this.#controller.abort(new DOMException("The time of the call is up.", "TimeoutError"));
      },
      Math.min(left, longestTimer),
    );
  }
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
    else signal.addEventListener("abort", stop);
    work.finally(() => signal.removeEventListener("abort", stop)).then(resolve, reject);
  });
}
