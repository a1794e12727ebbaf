import { isTryOnError } from "@tryon/client";

/**
 * Makes the try-on of an item, however often and however late a queue delivers it.
 *
 * @param {import("@tryon/client").TryOn} tryon
 * @param {{ id: string; input: import("@tryon/client").TryOnInput }} item - Its id is the idempotency key.
 * @param {Date | number | string} firstAttemptAt - Time before the first attempt, or any earlier time.
 */
export function makeTryOn(tryon, { id, input }, firstAttemptAt) {
  return tryon.run(input, {
    idempotencyKey: id,
    keyInMetadata: true,
    firstAttemptAt,
    // Pays for an item whose earlier attempts have certainly made no job.
    whenAbsent: "submit",
    sync: false,
    timeout: "10m",
  });
}

/** Returns true if another delivery would end the same way. */
export function isFinal(error) {
  return isTryOnError(error, "job_failed", "invalid_input", "bad_request", "validation_failed");
}
