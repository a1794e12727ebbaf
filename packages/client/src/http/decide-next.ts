import { isPage } from "#page";

import { maxSyncWait } from "../config/options.ts";
import type { Purpose } from "../types/middleware.ts";
import { isTruncated } from "./send-request.ts";
import {
  conflict,
  isOfService,
  none,
  rowOf,
  type Outcome,
  type OutcomeRow,
} from "./outcome-table.ts";
import { rateWindow } from "./rate-limiter.ts";
import { isRetryable, maxRetryAfter, retryDelay } from "./retry-policy.ts";

/** Maximum time for retries after a 409 that the same submission may have caused, in milliseconds. */
const maxConflictTime = 120_000;
/** Minimum duration of an attempt that counts as cut off, in milliseconds. */
const minCutDuration = 5_000;
/** Maximum number of bytes that are uploaded again after cuts that do not count as retries. */
const maxCutUploads = 2 ** 26;
/** Maximum number of bytes of uploads that broke off. One repeat is always allowed. */
const maxBrokenUploads = 2 ** 24;

export interface RetryLimits {
  /** Undefined for any server but the service. */
  readonly purpose: Purpose | undefined;
  /** If true, the client has no key, and its proxy adds one. */
  readonly isProxy: boolean;
  readonly sync: boolean;
  readonly retries: number;
  /** If false, the call fails instead of waiting for the rate limit, unless it may have been paid for. */
  readonly waits: boolean;
  readonly idempotencyWindow: number;
  readonly length: number;
  readonly random: () => number;
}

export interface RetryState {
  readonly count: number;
  /** Number of failures that use up `retries`. */
  readonly failures: number;
  /** Number of attempts that were cut off, and did not use up `retries`. */
  readonly cuts: number;
  readonly hasRetriedStale: boolean;
  readonly brokenUploads: number;
  /** If true, a free request has shown that the service responds at the base URL. */
  readonly hasIdentified: boolean;
  /** Monotonic time of the first 409 that an earlier attempt may have caused, in milliseconds. */
  readonly conflictSince?: number | undefined;
}

export const firstState: RetryState = {
  count: 0,
  failures: 0,
  cuts: 0,
  hasRetriedStale: false,
  brokenUploads: 0,
  hasIdentified: false,
};

export interface AttemptEnd {
  readonly now: number;
  readonly left: number;
  readonly duration: number;
  readonly age: number;
  /** Time since the first attempt that may have had a side effect, without this one; undefined if there is none. */
  readonly uncertainFor: number | undefined;
}

export interface Decision {
  readonly row: OutcomeRow;
  readonly isCut: boolean;
  /** Delay for all requests of the key, in milliseconds, also if this call ends. */
  readonly block?: number | undefined;
  readonly retry?: { readonly delay: number; readonly state: RetryState };
}

/** Decides what an attempt proves and what comes next. A pure function but for the jitter. */
export function decideNext(
  limits: RetryLimits,
  state: RetryState,
  outcome: Outcome,
  { now, left, duration, age: ownAge, uncertainFor }: AttemptEnd,
): Decision {
  const { purpose, isProxy, sync, retries, waits, idempotencyWindow, length, random } = limits;
  const { response } = outcome;
  const status = response?.status;
  const row = rowOf(outcome, isProxy);
  const isSubmission = purpose === "submit";
  const isCut =
    sync &&
    duration >= minCutDuration &&
    row.proves > none &&
    (!response || status === 408 || (Number(status) >= 500 && !isOfService(response.content)));
  const end = { row, isCut };
  const age = uncertainFor ?? (row.proves > none ? ownAge : undefined);
  // The service may still process an earlier attempt of the same submission.
  const isOwnConflict = row.proves === conflict && isSubmission && uncertainFor !== undefined;
  const isPaid = isSubmission || purpose === "purchase";
  const mayPass = response
    ? isRetryable(response.status) || isTruncated(response)
    : row.next === "retry";
  const isRetried = isOwnConflict || (isPaid ? row.next !== "end" : mayPass);
  // A second attempt could do the same again.
  if (!isRetried || (purpose === "write" && age !== undefined)) return end;
  // The server may have closed a connection that it no longer wanted. Another one is tried at once. So is an upload, whose next
  // attempt shows if its size is the reason.
  const isStale =
    !isPage &&
    !state.hasRetriedStale &&
    !response &&
    outcome.failure === "connection_failed" &&
    /reu|upl/.test(`${outcome.stage}`);
  const requested = response?.requestedDelay;
  const delay = isStale ? 0 : retryDelay(state.count, requested, random);
  // The next attempt waits for the same job, until the service would respond in any case.
  const isWaiting =
    isCut && retries > 0 && (age ?? 0) <= maxSyncWait && (state.cuts + 1) * length <= maxCutUploads;
  const conflictSince = state.conflictSince ?? now;
  const brokenUploads = state.brokenUploads + ((!response && outcome.brokenUpload) || 0);
  const isTooMuch = state.brokenUploads > 0 && brokenUploads > maxBrokenUploads;
  const usesRetry = !isOwnConflict && !isWaiting && status !== 429;
  const failures = state.failures + Number(usesRetry);
  const isLast = isOwnConflict
    ? now + delay - conflictSince > maxConflictTime
    : status === 429
      ? !waits && (purpose === "read" || age === undefined)
      : failures > retries;
  const isTooLate = isSubmission && Number(age) + delay > idempotencyWindow;
  // A proxy may limit the submissions of a user. Its 429 must not delay the polls of the user's last job.
  const isBlocking = status === 429 && purpose !== undefined && !(isProxy && isSubmission);
  // The reset in a wrong rate limit header must not delay other calls by more than a window.
  const maxBlock = response?.headers.has("retry-after") ? Infinity : rateWindow;
  const decision = { ...end, block: isBlocking ? Math.min(delay, maxBlock) : undefined };
  if (isLast || isTooLate || isTooMuch || (requested ?? 0) > maxRetryAfter || delay >= left)
    return decision;
  return {
    ...decision,
    retry: {
      delay,
      state: {
        ...state,
        count: state.count + 1,
        failures,
        cuts: state.cuts + Number(isWaiting),
        hasRetriedStale: state.hasRetriedStale || isStale,
        brokenUploads,
        hasIdentified: state.hasIdentified || (response && outcome.isElsewhere) === false,
        ...(isOwnConflict && { conflictSince }),
      },
    },
  };
}
