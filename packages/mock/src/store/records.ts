import type { StoredError } from "../service/service-error.ts";
import type { ClockMode } from "../system/clock.ts";

// Records are immutable JSON data, but for the bytes of an engine's results: a change is a new record with the same id.

/** @inline */
export type AccountState = "active" | "flagged";

export interface AccountRecord {
  readonly id: string;
  readonly state: AccountState;
  /** If true, payment tokens of its keys do not collide with those of other accounts. */
  readonly tenant?: true;
}

/** @inline */
export type KeyMode = "live" | "test";
/** @inline */
export type KeyState = "active" | "disabled" | "revoked" | "suspended";

/** Stored API key. */
export interface KeyRecord {
  /** Id such as `key_…`, which does not authenticate requests. */
  readonly id: string;
  /** Bearer token. */
  readonly token: string;
  /** Account that the key belongs to, such as `acct_…`. */
  readonly accountId: string;
  /** `test` keys get free try-ons, `live` keys pay in credits. */
  readonly mode: KeyMode;
  /** Requests with a key in any state but `active` get a 403. */
  readonly state: KeyState;
  /** Label that `GET /api/v1/account` returns, or null. */
  readonly name: string | null;
  /** Secret that signs the webhooks of its jobs. */
  readonly webhookSecret: string;
  /** Balance in credits. */
  readonly credits: number;
  /** Maximum number of requests a minute. */
  readonly rateLimitPerMinute: number;
  /** Number of requests since its creation, as the option `totalCalls` counts them. */
  readonly totalCalls: number;
  /** Number of the current rate-limit window, counted since 1970. */
  readonly window: number;
  /** Number of requests in `window` that were within the rate limit. */
  readonly windowCalls: number;
  /** Times of the requests in a sliding window, oldest first. */
  readonly callTimes: readonly number[];
  /** UTC day of `daySpent`, counted since 1970. */
  readonly day: number;
  /** Credits spent on `day`, without those refunded on that day. */
  readonly daySpent: number;
  /** Number of consecutive jobs that ended as `content_blocked`; any other end sets it to 0. */
  readonly contentBlockedInARow: number;
}

export type JobStatus = "queued" | "running" | "succeeded" | "failed";
export type OutputSize = "1K" | "2K" | "4K";

export interface JobRecord {
  readonly id: string;
  readonly keyId: string;
  readonly status: JobStatus;
  readonly outputSize: OutputSize;
  readonly costCredits: number;
  readonly testMode: boolean;
  readonly seed: number | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly webhookUrl: string | null;
  readonly origin: string;
  readonly createdAt: number;
  readonly completedAt: number | null;
  readonly durationMs: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly result: ResultRecord | null;
}

export type JobEnding = Pick<JobRecord, "status" | "result" | "errorCode" | "errorMessage">;

/** Unfinished job. It has the result image once that is rendered, and none of the submitted images. */
export interface UnfinishedJobRecord {
  readonly jobId: string;
  readonly durationMs: number;
  /** Null while the job waits for a slot. */
  readonly startedAt: number | null;
  /** Null until the image is rendered. */
  readonly ending: Omit<JobEnding, "result"> | "never" | null;
  readonly result: ResultRecord | null;
}

export interface ServerRecord {
  readonly seed: string;
  readonly clockMode: ClockMode;
  /** Number of earlier processes with this state. */
  readonly restarts: number;
  readonly clockOffset: number;
}

/** Image of a job, which is purged if it has neither `fingerprint` nor `bytes`. */
export interface ResultRecord {
  readonly width: number;
  readonly height: number;
  /** Number of bytes. */
  readonly length: number;
  /** Only of a stock image, which is drawn again each time. */
  readonly fingerprint?: string;
  /** Image of any other engine. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

/** First response to a submission. Replays add a new result URL and the current balance. */
export interface StoredResponse {
  readonly status: JobStatus;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly message: string | null;
}

export interface IdempotencyRecord {
  /** API key's id and idempotency key. */
  readonly id: string;
  /** Digest of the parsed body, independent of order and white space. */
  readonly bodyDigest: string;
  /** Empty if the first request was refused. */
  readonly jobId: string;
  readonly expiresAt: number;
  /** Null while the first request is in progress. */
  readonly response: StoredResponse | StoredError | null;
}

/** Reason for a change of a balance. */
export type LedgerCause = "grant" | "tryon" | "refund" | "purchase";

/** Change of the balance of a key. */
export interface LedgerEntry {
  /** Key whose balance changed. */
  readonly keyId: string;
  /** Positive or negative change. */
  readonly credits: number;
  /** Reason for the change; `grant` is the initial balance. */
  readonly cause: LedgerCause;
  /** Time in milliseconds since 1970 of the server's clock. */
  readonly at: number;
  /** Job that was charged or refunded; absent for other causes. */
  readonly jobId?: string;
  /** Payment that added the credits; only with the cause `purchase`. */
  readonly paymentIntentId?: string;
}

export interface PurchaseRecord {
  readonly paymentIntentId: string;
  readonly keyId: string;
  readonly token: string;
  readonly packSlug: string;
  readonly status: string;
  readonly creditsAdded: number;
  readonly nextAction: Readonly<Record<string, unknown>> | null;
}

/** Attempt to deliver a webhook. */
export interface DeliveryAttempt {
  /** Time of the request in milliseconds since 1970 of the server's clock. */
  readonly at: number;
  /** Status of the receiver's response, or null without a response. */
  readonly status: number | null;
  /** Duration on the server's clock, at most 10,000 ms. */
  readonly durationMs: number;
  /** Reason for a missing response, or null. In browsers, redirects have one too. */
  readonly error: string | null;
}

/** Cause of a delivery: the end of its job, or a way to repeat an earlier one. */
export type DeliveryCause = "job" | "replay" | "duplicate" | "tamper";

/** Webhook with all attempts to deliver it. */
export interface DeliveryRecord {
  /** Id for `replay`, `duplicate` and `tamper`, such as `dlv_…`. */
  readonly id: string;
  /** Job that the webhook reports. */
  readonly jobId: string;
  /** URL of the receiver: the `webhook_url` of the submission. */
  readonly url: string;
  /** End of the job, or the method that repeated an earlier delivery. */
  readonly cause: DeliveryCause;
  /** Id of the delivery that this one repeats, or null. */
  readonly repeats: string | null;
  /** Body of the next or last attempt. */
  readonly body: string;
  /** Value of `X-Service-Signature`. */
  readonly signature: string;
  /** Attempts that have ended, oldest first: up to 4, or 1 for `replay` and `tamper`. */
  readonly attempts: readonly DeliveryAttempt[];
  /** `delivered` after a 2xx, `given-up` after the last attempt failed. */
  readonly state: "pending" | "delivered" | "given-up";
}
