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
  readonly state: JournalState;
  /** Idempotency key of the item's submission. It never changes. */
  readonly idempotencyKey: string;
  /** SHA-256 of the input's fields and image bytes, in hexadecimal. */
  readonly digest: string;
  /** If true, the submission waits for the result. Repeated submissions must send the same value. */
  readonly sync: boolean;
  /** Output size, which sets the price. Missing in entries of older releases: they count at the highest price. */
  readonly size?: string | undefined;
  /** Time just before the first request, in milliseconds since 1970. */
  readonly sentAt: number;
  /** The job, once it is known. */
  readonly job?: SavedJob | undefined;
}

/**
 * Storage in which a batch records each step, so that it can run again after a crash without paying twice. Only one batch
 * at a time may use it.
 */
export interface Journal {
  /** Returns the last entry of an item, from any run. */
  get(id: string): Promise<JournalEntry | undefined>;
  /** Returns the last entry of each item, in any order. A batch with a `budget` calls it once, before it sends anything. */
  list(): Iterable<JournalEntry> | AsyncIterable<JournalEntry>;
  /** Stores an entry. Resolves once the entry would survive a crash of the program and of the machine. */
  put(entry: JournalEntry): Promise<void>;
}
