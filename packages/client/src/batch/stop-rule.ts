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

/** Default number of consecutive items with blocked content that stops a batch. */
export const defaultMaxBlocked = 3;

/** Decides when a batch stops. */
export class StopRule {
  readonly #codes: ReadonlySet<TryOnErrorCode>;
  readonly #maxBlocked: number;
  #blocked = 0;

  constructor(codes: readonly TryOnErrorCode[], maxBlocked: number | false) {
    this.#codes = new Set(codes);
    this.#maxBlocked = maxBlocked === false ? Number.POSITIVE_INFINITY : maxBlocked;
  }

  /** Records the outcome of an item of this run. Returns an error if the batch must stop. */
  after(error: unknown): BatchStoppedError | undefined {
    if (error === undefined) this.#blocked = 0;
    if (!isTryOnError(error)) return undefined;
    if (isTryOnError(error, "job_failed"))
      return this.#afterFailedJob(error.isContentBlocked, error);
    // The cause of an unknown outcome can also stop the batch.
    const { cause } = error;
    for (const known of [error, cause]) {
      if (isTryOnError(known) && this.#codes.has(known.code)) {
        return new BatchStoppedError(
          "error",
          `The batch stopped at ${known.code}: ${known.message}`,
          "The batch started no other item. Fix the cause and run the batch again.",
          error,
        );
      }
    }
    return undefined;
  }

  #afterFailedJob(isBlocked: boolean, error: Error): BatchStoppedError | undefined {
    this.#blocked = isBlocked ? this.#blocked + 1 : 0;
    if (this.#blocked < this.#maxBlocked) return undefined;
    return new BatchStoppedError(
      "content_blocked",
      `The batch stopped: the service blocked the content of ${this.#blocked} consecutive items.`,
      "Check their images and prompts: repeated blocks can suspend the key. `stopAfterContentBlocked` sets the limit.",
      error,
    );
  }
}
