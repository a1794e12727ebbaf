import { isTryOnError, type TryOnErrorCode } from "@tryon/client";

import { BatchStoppedError } from "./batch-stopped-error.ts";

/** Default error codes that stop a batch, since every other item would fail the same way. */
export const stoppingCodes: readonly TryOnErrorCode[] = [
  "unauthorized",
  "forbidden",
  "insufficient_credits",
  "budget_exceeded",
  "unsafe_environment",
  "invalid_config",
];

/** How many refusals of content in a row stop a batch. */
export const mostContentBlocked = 3;

/** Says when a batch is not to go on. */
export class StopRule {
  readonly #codes: ReadonlySet<TryOnErrorCode>;
  readonly #mostBlocked: number;
  #blocked = 0;

  constructor(codes: readonly TryOnErrorCode[], mostBlocked: number | false) {
    this.#codes = new Set(codes);
    this.#mostBlocked = mostBlocked === false ? Number.POSITIVE_INFINITY : mostBlocked;
  }

  /** Takes note of how an item ended in this run, and gives the error to stop with, if it is to stop. */
  after(error: unknown): BatchStoppedError | undefined {
    if (error === undefined) this.#blocked = 0;
    if (!isTryOnError(error)) return undefined;
    if (isTryOnError(error, "job_failed"))
      return this.#afterFailedJob(error.isContentBlocked, error);
    // What an unknown outcome ended in stands for itself, too.
    const { cause } = error;
    for (const known of [error, cause]) {
      if (isTryOnError(known) && this.#codes.has(known.code)) {
        return new BatchStoppedError(
          "error",
          `The batch stopped at ${known.code}: ${known.message}`,
          "Nothing else was started: mend it and run the batch again.",
          error,
        );
      }
    }
    return undefined;
  }

  #afterFailedJob(isBlocked: boolean, error: Error): BatchStoppedError | undefined {
    this.#blocked = isBlocked ? this.#blocked + 1 : 0;
    if (this.#blocked < this.#mostBlocked) return undefined;
    return new BatchStoppedError(
      "content_blocked",
      `The batch stopped: the service refused the content of ${this.#blocked} try-ons in a row.`,
      "Look at their images and texts: repeated refusals can suspend the key. stopAfterContentBlocked sets how many are borne.",
      error,
    );
  }
}
