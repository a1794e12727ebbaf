import { BatchStoppedError, isTryOnError, type TryOnErrorCode } from "@tryon/client";

import type { CommonOptions } from "./options.ts";

/** Default error codes that stop a batch, since every other item would fail the same way. */
export const stoppingCodes: readonly TryOnErrorCode[] = [
  "unauthorized",
  "forbidden",
  "insufficient_credits",
  "budget_exceeded",
  "unsafe_environment",
  "invalid_config",
];

/** Decides when a batch stops. */
export class StopRule {
  readonly #codes: ReadonlySet<TryOnErrorCode>;
  readonly #maxBlocked: number;
  #blocked = 0;

  constructor({ stopOn = stoppingCodes, stopAfterContentBlocked = 3 }: CommonOptions) {
    this.#codes = new Set(stopOn);
    this.#maxBlocked =
      stopAfterContentBlocked === false ? Number.POSITIVE_INFINITY : stopAfterContentBlocked;
  }

  /** Records the outcome of an item of this run. Returns an error if the batch must stop. */
  after(error: unknown): BatchStoppedError | undefined {
    const isFailedJob = isTryOnError(error, "job_failed");
    if (isFailedJob && error.isContentBlocked) this.#blocked += 1;
    else if (isFailedJob || error === undefined) this.#blocked = 0;
    if (isFailedJob && this.#blocked >= this.#maxBlocked) {
      return new BatchStoppedError(
        "content_blocked",
        `The batch stopped: the service blocked the content of ${this.#blocked} consecutive items.`,
        "Check their images and prompts: repeated blocks can suspend the key. `stopAfterContentBlocked` sets the limit.",
        error,
      );
    }
    if (!isTryOnError(error)) return undefined;
    // The cause of an unknown outcome can also stop the batch.
    for (const known of [error, error.cause]) {
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
}
