import { isApp } from "#app";

import type { CallOptions, Duration } from "../types/call-options.ts";
import { ConnectionError } from "../errors/request-errors.ts";
import { milliseconds, rejectUnknown } from "../config/resolve-config.ts";
import type { ClientClock } from "../config/clock.ts";
import { completeSignal } from "./complete-signal.ts";

/**
 * Deadline of a call, or of one attempt within it: a time, and the caller's abort signal. Call `close` at the end.
 */
export class Deadline {
  readonly clock: ClientClock;
  readonly timeout: number;
  readonly #caller: AbortSignal | undefined;
  readonly #call: Deadline | undefined;
  #endsAt = 0;
  #controller: AbortController | undefined;
  #timer: unknown;

  constructor(clock: ClientClock, timeout: number, caller?: AbortSignal, call?: Deadline) {
    this.clock = clock;
    this.timeout = timeout;
    this.#caller = isApp ? completeSignal(caller) : caller;
    this.#call = call;
    this.restart();
  }

  attempt(timeout: number): Deadline {
    return new Deadline(this.clock, timeout, this.#caller, this);
  }

  /**
   * Signal that aborts with the caller's reason, or when no time is left. Its timer and listener are added on first use, since
   * most calls need only those of their one attempt.
   */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#caller?.aborted) this.#onAbort();
      this.#caller?.addEventListener("abort", this.#onAbort);
      this.#watch();
    }
    return this.#controller.signal;
  }

  left(): number {
    const left = Math.max(0, this.#endsAt - this.clock.monotonic());
    return Math.min(left, this.#call?.left() ?? left);
  }

  get passed(): boolean {
    return this.left() === 0;
  }

  restart(timeout = this.timeout): void {
    this.#endsAt = this.clock.monotonic() + timeout;
    if (this.#controller) this.#watch();
  }

  throwIfAborted(): void {
    this.#caller?.throwIfAborted();
  }

  async sleep(delay: number): Promise<void> {
    let timer: unknown;
    const over = new Promise<void>((resolve) => {
      timer = this.clock.setTimeout(resolve, delay);
    });
    try {
      await abortable(over, this.signal);
    } finally {
      this.clock.clearTimeout(timer);
    }
  }

  close(): void {
    this.clock.clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#controller?.abort(this.#caller?.reason);

  readonly #watch = (): void => {
    this.clock.clearTimeout(this.#timer);
    const left = this.left();
    if (left === 0) {
      this.#controller?.abort(
        new DOMException("The timeout of the call has passed.", "TimeoutError"),
      );
    } else if (left < Infinity) {
      this.#timer = this.clock.setTimeout(this.#watch, left);
    }
  };
}

export const callOptionNames: Readonly<Record<keyof CallOptions, true>> = {
  signal: true,
  timeout: true,
};

/**
 * Runs work within the deadline of a call, and removes its timer and listener afterwards. Throws `invalid_input` if the timeout
 * is invalid, or an option is unknown.
 */
export async function within<Result>(
  config: { readonly clock: ClientClock; readonly timeout: Duration },
  options: CallOptions,
  fallback: Duration | undefined,
  work: (deadline: Deadline) => Promise<Result>,
  names: Readonly<Record<string, true>> = callOptionNames,
): Promise<Result> {
  rejectUnknown("this call", options, names);
  const { timeout = fallback ?? config.timeout, signal } = options;
  const deadline = new Deadline(config.clock, milliseconds(timeout, "timeout"), signal);
  try {
    deadline.throwIfAborted();
    return await work(deadline);
  } finally {
    deadline.close();
  }
}

/** Returns the result of `work`, or rejects with the abort reason. Does not stop the work. */
export function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    // The reason may be any value.
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
    void work.then(resolve, reject).then(() => signal.removeEventListener("abort", stop));
  });
}

/** Returns the result of `work`, which sends no submission. Rejects with the abort reason, or if no time is left. */
export async function inTime<Result>(
  work: Promise<Result>,
  deadline: Deadline,
  message: string,
): Promise<Result> {
  try {
    return await abortable(work, deadline.signal);
  } catch (error) {
    if (!deadline.passed) throw error;
    throw new ConnectionError("timed_out", message, { hint: "Nothing was sent: raise timeout." });
  }
}
