import type { Job } from "./job.ts";

/**
 * Reason why a search cannot say if a submission has made a job.
 *
 * - `too_early`: a request of the submission could still arrive, or the list could still miss its job. Search again at
 *   `retryAt`.
 * - `no_first_attempt`: without `firstAttemptAt`, no part of the list is enough.
 * - `key_not_in_metadata`: submissions without `keyInMetadata` cannot be found.
 * - `list_too_short`: the list ends with a job that is not older than the first attempt. The submission may belong to
 *   another API key.
 * - `other_api_key`: the submission belongs to another API key, which `recoveryKeys` does not have.
 * - `list_failed`: the list could not be read, see `error`.
 */
export type UnknownReason =
  | "too_early"
  | "no_first_attempt"
  | "key_not_in_metadata"
  | "list_too_short"
  | "other_api_key"
  | "list_failed";

/** Outcome of `jobs.findByKey`. */
export type KeySearch =
  | {
      /** The list has a job with the key. */
      readonly status: "found";
      /** Job with the key. */
      readonly job: Job;
    }
  | {
      /**
       * No submission under the key has made a job: the list was read back beyond the first attempt, and no request can
       * still arrive.
       */
      readonly status: "absent";
      readonly job?: undefined;
    }
  | {
      /** There may be a job. Submit nothing. */
      readonly status: "unknown";
      /** Reason why the search cannot say more. */
      readonly reason: UnknownReason;
      /** With `too_early`: time from which a search can say more, in milliseconds since 1970. */
      readonly retryAt?: number | undefined;
      /** With `list_failed`: the error. */
      readonly error?: unknown;
      readonly job?: undefined;
    };

export interface SoughtKey {
  readonly idempotencyKey: string;
  /** Time before the first attempt, in milliseconds since 1970. */
  readonly firstAttemptAt: number | undefined;
  readonly hasKeyInMetadata: boolean;
  readonly apiKeyFingerprint?: string | undefined;
}
