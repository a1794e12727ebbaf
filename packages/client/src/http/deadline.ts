import type { CallOptions, Duration } from "../types/call-options.ts";
import { unknownName } from "../config/unknown-names.ts";
import { InputError } from "../errors/input-error.ts";
import { milliseconds } from "../config/duration.ts";
import { maxTimer, type Clock } from "../config/clock.ts";

/**
 * Deadline of a call, or of one attempt within it: a time, and the caller's abort signal. Call `close` at the end to remove
 * the timer and the listener on the caller's signal.
 */
export class Deadline {
  readonly clock: Clock;
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

  /** Creates the deadline of one attempt, which ends with the call at the latest. */
  attempt(timeout: number): Deadline {
    return new Deadline(this.clock, timeout, this.#caller, this);
  }

  /**
   * Signal that aborts with the caller's reason, or when the time is up. Its timer and listener are added on first use, since
   * most calls need only those of their one attempt.
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

  /** Works as {@link abortable} with its own signal, for one promise at a time and without a listener. */
  race<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#stop = reject;
      if (this.signal.aborted) reject(this.signal.reason as Error);
      work.then(resolve, reject);
    });
  }

  /** Returns the time left, in milliseconds. */
  left(): number {
    const left = Math.max(0, this.#endsAt - this.clock.now());
    return Math.min(left, this.#call?.left() ?? left);
  }

  /** If true, the time is up. */
  get passed(): boolean {
    return this.left() === 0;
  }

  /** Restarts the time limit after progress, with a new limit if given. */
  restart(timeout = this.#timeout): void {
    this.#endsAt = this.clock.now() + timeout;
    if (this.#controller) this.#watch();
  }

  /** Throws the caller's abort reason, if there is one. */
  throwIfAborted(): void {
    this.#caller?.throwIfAborted();
  }

  /** Waits so many milliseconds. Rejects with the abort reason. */
  async sleep(delay: number): Promise<void> {
    let timer: unknown;
    const over = new Promise<void>((resolve) => {
      timer = this.clock.setTimeout(resolve, Math.min(delay, maxTimer));
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
      this.#timer = this.clock.setTimeout(this.#watch, Math.min(left, maxTimer));
    }
  };
}

/** Names of the options of every call. */
export const callOptionNames: Readonly<Record<keyof CallOptions, true>> = {
  signal: true,
  timeout: true,
};

/**
 * Runs work within the deadline of a call, and removes its timer and listener afterwards. Throws `invalid_input` if the
 * timeout is invalid, or an option is unknown.
 */
export async function within<Result>(
  { clock }: { readonly clock: Clock },
  options: CallOptions,
  fallback: Duration,
  work: (deadline: Deadline) => Promise<Result>,
  names: Readonly<Record<string, true>> = callOptionNames,
): Promise<Result> {
  const unknown = unknownName(options, names);
  if (unknown) {
    throw new InputError(unknown.name, "is not an option of this call", { hint: unknown.hint });
  }
  const { timeout, signal } = options;
  const deadline = new Deadline(clock, milliseconds(timeout ?? fallback, "timeout"), signal);
  try {
    return await work(deadline);
  } finally {
    deadline.close();
  }
}

/** Returns the result of `work`, or rejects with the abort reason. The work itself goes on. */
export function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    // The reason may be any value, and the caller gets that value.
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
    void work.then(resolve, reject).then(() => signal.removeEventListener("abort", stop));
  });
}
