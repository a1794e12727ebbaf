import type { BudgetLimit } from "../types/budget.ts";
import type { CallOptions } from "../types/call-options.ts";
import { callOptionNames } from "../http/deadline.ts";
import type { OnUpdate, PollOptions, WaitOptions } from "../types/job.ts";

/** Options of `submit`. */
export interface SubmitOptions extends CallOptions {
  /**
   * Idempotency key of the try-on, 1 to 200 printable ASCII characters. Set your own, such as an order number, to be safe
   * across crashes of your program. The service responds to a key with another body with 409. The client assumes that the
   * same body gets the same job without another charge, which the service does not document.
   *
   * @default a random UUID
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * If true, puts the key into the metadata of the job as `_tryon_key`, so that `recover()` finds the job at any later time.
   * It is part of the body: use the same value whenever you submit under the same key.
   *
   * @default the client's `keyInMetadata`, which is false
   */
  readonly keyInMetadata?: boolean | undefined;
  /**
   * Time before the first attempt to submit under this `idempotencyKey`, for queues that deliver an item again: a `Date`,
   * milliseconds since 1970 or ISO 8601. Store it before the first attempt, and pass it each time. An earlier time is
   * safe, such as the time at which the queue got the item. In a page, it is rejected with `invalid_input`.
   *
   * While the service is known to remember the key, the call submits as usual, and ends with that time. Later, it searches
   * the list for the job, which requires `keyInMetadata`, and sends no submission: it returns the job, or throws
   * `outcome_unknown` with the `search`. Another API key would make another job, see `apiKeyFingerprint`.
   *
   * @default none: no earlier call has used the key
   */
  readonly firstAttemptAt?: Date | number | string | undefined;
  /**
   * Fingerprint of the API key of the first attempt: `tryon.apiKeyFingerprint()`, stored with `firstAttemptAt`. If the key was
   * rotated since, the call searches for the job under the earlier key, which `recoveryKeys` must have, and submits nothing.
   * With `proxyUrl`, the proxy submits nothing if its key is another one, and the call throws `outcome_unknown`.
   *
   * @default none: the key is that of the first attempt
   */
  readonly apiKeyFingerprint?: string | undefined;
  /**
   * Behavior of a late attempt if the list proves that no earlier attempt has made a job, see `firstAttemptAt`. With
   * `"submit"`, it submits under the same key, which is a new charge. With `"fail"`, it throws `outcome_unknown`, whose
   * `search` is `absent`.
   *
   * @default "fail"
   */
  readonly whenAbsent?: "fail" | "submit" | undefined;
  /**
   * Maximum cost of this call in credits, or a `Budget` that it shares with others. A try-on above it is rejected with
   * `budget_exceeded` before anything is sent. The client's budget applies in addition.
   *
   * @default none
   */
  readonly budget?: BudgetLimit | undefined;
  /** If true, validates the input before sending it. @default the client's `validate` */
  readonly validate?: boolean | undefined;
  /** Called on every progress update. Errors it throws are ignored and go to the client's `logger`. */
  readonly onUpdate?: OnUpdate | undefined;
}

/** Options of `run`. */
export interface RunOptions extends SubmitOptions, WaitOptions {
  /**
   * If true, the service responds when the job has ended, or after 90 seconds, which saves requests. Needs a `timeout` of at
   * least 90 seconds. `"auto"` does so if the time allows it, until something between client and service cuts such a
   * response off.
   *
   * @default "auto", or the `wait` of the input
   */
  readonly sync?: boolean | "auto" | undefined;
}

/** Option of a batch: returns true once the service may have forgotten the key, which an earlier run may have sent. */
export const isKeyOver: unique symbol = Symbol.for("@tryon/client.isKeyOver");

/**
 * Option of a batch: called with the fingerprint of the API key before a submission is sent with it. The call rejects with its
 * error, and sends nothing.
 */
export const beforeSend: unique symbol = Symbol.for("@tryon/client.beforeSend");

export const pollOptionNames: Readonly<Record<keyof PollOptions, true>> = {
  ...callOptionNames,
  pollInterval: true,
};
export const waitOptionNames: Readonly<Record<keyof WaitOptions, true>> = {
  ...pollOptionNames,
  onUpdate: true,
};
export const submitOptionNames: Readonly<Record<keyof SubmitOptions, true>> = {
  ...callOptionNames,
  onUpdate: true,
  idempotencyKey: true,
  keyInMetadata: true,
  firstAttemptAt: true,
  apiKeyFingerprint: true,
  whenAbsent: true,
  budget: true,
  validate: true,
};
export const runOptionNames: Readonly<Record<keyof RunOptions, true>> = {
  ...submitOptionNames,
  ...waitOptionNames,
  sync: true,
};
