import { BatchStoppedError, isTryOnError, type TryOnErrorCode } from "@tryon/client";

import type { CommonOptions } from "./options.ts";

/** Default error codes that stop a batch, since every other item would fail the same way. */
export const stoppingCodes: readonly TryOnErrorCode[] = [
  "unauthorized",
  "forbidden",
  "insufficient_credits",
  "budget_exceeded",
  "too_many_refusals",
  "unsafe_environment",
  "invalid_config",
];

export function createStopRule({
  stopOn = stoppingCodes,
  stopAfterContentBlocked = 3,
}: CommonOptions): (error: unknown) => BatchStoppedError | undefined {
  let blocked = 0;
  return (error) => {
    const isFailedJob = isTryOnError(error, "job_failed");
    if (isFailedJob && error.isContentBlocked) blocked += 1;
    else if (isFailedJob || error === undefined) blocked = 0;
    if (isFailedJob && stopAfterContentBlocked && blocked >= stopAfterContentBlocked) {
      return new BatchStoppedError(
        "content_blocked",
        `The batch stopped: the service blocked the content of ${blocked} consecutive items.`,
        "Check their images and prompts: repeated blocks can suspend the key. `stopAfterContentBlocked` sets the limit.",
        error,
      );
    }
    // The cause of an unknown outcome can also stop the batch.
    const causes = isTryOnError(error) ? [error, error.cause] : [];
    const cause = causes.find(
      (one) =>
        isTryOnError(one) &&
        stopOn.includes(one.code) &&
        // Both can be due to one job: the job of a journal can belong to another key.
        !(one.job && (one.code === "forbidden" || one.code === "invalid_config")),
    );
    if (!isTryOnError(cause)) return undefined;
    return new BatchStoppedError(
      "error",
      `The batch stopped at ${cause.code}: ${cause.message}`,
      "The batch started no other item. Fix the cause and run the batch again.",
      error,
    );
  };
}
