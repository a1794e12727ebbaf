import type { SavedJob } from "@tryon/client";

/**
 * State of an item in a journal.
 *
 * - `sending`: the batch may have sent the submission, and the service may have received it.
 * - `submitted`: the service created the job.
 * - `succeeded`, `failed`: the job has ended.
 * - `refused`: no job was created. The item can be submitted again, with the same or another input.
 */
export type JournalState = "sending" | "submitted" | "succeeded" | "failed" | "refused";

/** Journal entry of one item. It contains no image, API key or signed URL. */
export interface JournalEntry {
  /** Id that the `id` option returned. */
  readonly id: string;
  /** State of the item when the entry was written. */
  readonly state: JournalState;
  /** Idempotency key of the item's submission. It changes only after a 400 or 402, and with each attempt. */
  readonly idempotencyKey: string;
  /** SHA-256 of the input's fields and image bytes, in hexadecimal. */
  readonly digest: string;
  /** If true, the submission waits for the result. Repeated submissions must send the same value. */
  readonly sync: boolean;
  /** Output size, which sets the price. Missing in entries of older releases: they count at the highest price. */
  readonly size?: string | undefined;
  /** Credits that the entry counts in the total of a {@link SharedJournal}: the price, or the cost once it is known. */
  readonly credits?: number | undefined;
  /** Time before the first request, in milliseconds since 1970. In a shared journal by the clock of its storage. */
  readonly sentAt: number;
  /**
   * Fingerprint of the API key of the submission. Another key never submits an open item again. Missing in entries of older
   * releases: a batch with a key searches for the job of an open one, and never submits it again.
   */
  readonly apiKeyFingerprint?: string | undefined;
  /** The job, once it is known. */
  readonly job?: SavedJob | undefined;
  /** Failed jobs of earlier attempts, oldest first, with `retryFailed`. The entry is that of the next attempt. */
  readonly failedJobs?: readonly SavedJob[] | undefined;
}

/**
 * Storage in which a batch records each step, so that it can run again after a crash without paying twice. Only one batch
 * at a time may use it, unless it is a {@link SharedJournal}.
 */
export interface Journal {
  /**
   * Name of the batch. If set, idempotency keys derive from the name, the item's id and the digest of its input. If the
   * journal is lost, a repeated submission has the same key, and a service that still remembers it charges nothing more.
   *
   * @default random keys
   */
  readonly name?: string | undefined;
  /** Returns the last entry of an item, from any run. */
  get(id: string): Promise<JournalEntry | undefined>;
  /** Returns the last entry of each item, in any order. A batch with a `budget` calls it once, before it sends anything. */
  list(): Iterable<JournalEntry> | AsyncIterable<JournalEntry>;
  /** Stores an entry. Resolves once the entry would survive a crash of the program and of the machine. */
  put(entry: JournalEntry): Promise<void>;
}

/** Result of a claim on an item. */
export interface ItemClaim {
  /**
   * - `claimed`: the owner now has the claim.
   * - `held`: another owner has it.
   * - `ended`: the item has succeeded or failed, and needs no claim.
   */
  readonly state: "claimed" | "held" | "ended";
  /** Last entry of the item. */
  readonly entry: JournalEntry | undefined;
  /**
   * Date of the storage's clock, in milliseconds since 1970. The batch dates its entries by it, so that processes whose
   * clocks differ agree on their age.
   *
   * @default the date of the process
   */
  readonly now?: number | undefined;
}

/**
 * Journal that several processes can use for one batch at the same time. Each item is claimed by one of them. A claim ends
 * after `claimTtl` without renewal, by the clock of the storage. All methods are atomic.
 */
export interface SharedJournal extends Journal {
  readonly name: string;
  /** Duration of a claim without renewal, in milliseconds. A batch renews its claims after each third of it. */
  readonly claimTtl: number;
  /**
   * Claims an item. Changes nothing if the item has ended or another owner's claim is valid.
   *
   * @param isRetry - If true, also claims an item that has failed. The batch passes it for another attempt.
   */
  claim(id: string, owner: string, isRetry?: boolean): Promise<ItemClaim>;
  /**
   * Returns the claims that `claim` would refuse, by id: of items that have ended, and of those that another owner holds.
   * Changes nothing. The batch passes up to 500 ids, so that it reads finished and held items in pages.
   *
   * Without this method, the batch claims each item by itself.
   */
  refusedClaims?(ids: readonly string[], owner: string): Promise<ReadonlyMap<string, ItemClaim>>;
  /**
   * Stores an entry as `put` does. Returns false and stores nothing if another owner has claimed the item since. In the same
   * step, adds the change of the item's credits to the total, if there is one.
   */
  putClaimed(entry: JournalEntry, owner: string): Promise<boolean>;
  /**
   * Stores an entry as `putClaimed` does. Returns `"full"` and stores nothing if the total would exceed `maxCredits`.
   * Requires a total.
   */
  putWithin?(entry: JournalEntry, owner: string, maxCredits: number): Promise<boolean | "full">;
  /**
   * Returns the credits that all entries count, or undefined before a batch with a budget has used the journal. Stores
   * `initial` unless a total exists.
   *
   * Without the methods `total` and `putWithin`, each process counts the entries when it starts, and together they can
   * exceed a budget.
   */
  total?(initial?: number): Promise<number | undefined>;
  /**
   * Takes the next `duration` milliseconds of the schedule that a name has in the storage, and returns the milliseconds until
   * they begin. All journals of the storage share it, so that processes send
   * submissions, and polls, one after the other.
   *
   * Without this method, each process assumes the whole rate limit of the key.
   */
  takeTime?(schedule: string, duration: number): Promise<number>;
  /** Renews the claims that the owner still has on these items. */
  renew(ids: readonly string[], owner: string): Promise<void>;
  /** Releases the claim on an item, if the owner still has it. */
  release(id: string, owner: string): Promise<void>;
}
