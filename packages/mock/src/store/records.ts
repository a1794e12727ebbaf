/** What the server remembers. Records are never changed in place: a change is a new record under the same id. */

/** @inline */
export type AccountState = "active" | "flagged";

export interface AccountRecord {
  readonly id: string;
  readonly state: AccountState;
  /** Whether the payment tokens of its keys are apart from those of all others. */
  readonly tenant?: true;
}

/** @inline */
export type KeyMode = "live" | "test";
/** @inline */
export type KeyState = "active" | "disabled" | "revoked" | "suspended";

/** An API key, as the server remembers it. */
export interface KeyRecord {
  readonly id: string;
  /** The text that callers send as their bearer token. */
  readonly token: string;
  readonly accountId: string;
  readonly mode: KeyMode;
  readonly state: KeyState;
  readonly name: string | null;
  readonly webhookSecret: string;
  readonly credits: number;
  readonly rateLimitPerMinute: number;
  readonly totalCalls: number;
  /** The window of the rate limit that is running, by its number since 1970. */
  readonly window: number;
  readonly windowCalls: number;
  /** The UTC day, counted since 1970, that `daySpent` belongs to. */
  readonly day: number;
  readonly daySpent: number;
  readonly contentBlockedInARow: number;
}

export type JobStatus = "queued" | "running" | "succeeded" | "failed";
export type OutputSize = "1K" | "2K" | "4K";

export interface JobRecord {
  readonly id: string;
  readonly keyId: string;
  /** Grows by one with each job of the server; lists are ordered by it. */
  readonly sequence: number;
  readonly status: JobStatus;
  readonly outputSize: OutputSize;
  readonly costCredits: number;
  readonly testMode: boolean;
  readonly seed: number | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly webhookUrl: string | null;
  /** Scheme and host under which the job was submitted; its result addresses stand there. */
  readonly origin: string;
  readonly createdAt: number;
  readonly completedAt: number | null;
  readonly durationMs: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly result: ResultRecord | null;
}

export interface ResultRecord {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/** The first answer to a submission, as far as a replay needs it; addresses and balances are made afresh. */
export type StoredResponse =
  | {
      readonly kind: "submitted";
      readonly status: JobStatus;
      readonly errorCode: string | null;
      readonly errorMessage: string | null;
      readonly message: string | null;
    }
  | { readonly kind: "server-error" };

export interface IdempotencyRecord {
  readonly keyId: string;
  readonly idempotencyKey: string;
  /** Digest of the parsed body, so that order and white space do not count. */
  readonly bodyDigest: string;
  readonly jobId: string;
  readonly expiresAt: number;
  /** Null while the first call still waits. */
  readonly answer: StoredResponse | null;
}

/** What made a balance change. */
export type LedgerCause = "grant" | "tryon" | "refund" | "purchase";

/** One change of the balance of a key. */
export interface LedgerEntry {
  readonly keyId: string;
  /** What the balance changed by. */
  readonly credits: number;
  readonly cause: LedgerCause;
  /** When, in milliseconds since 1970 of the server's clock. */
  readonly at: number;
  readonly jobId?: string;
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
  /** Whether the credits of the pack have been given. */
  readonly granted: boolean;
}

/** One request that took a webhook to its receiver. */
export interface DeliveryAttempt {
  /** When it was sent, in milliseconds since 1970 of the server's clock. */
  readonly at: number;
  /** The receiver's status, or null when it gave none. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

/** What brought a delivery about: the end of its job, or somebody who had an earlier one sent again. */
export type DeliveryCause = "job" | "replay" | "duplicate" | "tamper";

/** A webhook, with every attempt to deliver it. */
export interface DeliveryRecord {
  readonly id: string;
  readonly jobId: string;
  readonly url: string;
  readonly cause: DeliveryCause;
  /** The delivery that this one repeats, or null. */
  readonly repeats: string | null;
  /** What is sent, or was sent last. */
  readonly body: string;
  /** The value of `X-Service-Signature` that goes with it. */
  readonly signature: string;
  readonly attempts: readonly DeliveryAttempt[];
  readonly state: "pending" | "delivered" | "given-up";
}
