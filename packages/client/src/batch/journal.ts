import type { SavedJob } from "@tryon/client";

/**
 * How far an item has come. `sending`: its submission may have been sent, and may have arrived. `submitted`: the job is
 * known. `succeeded` and `failed`: the job has ended. `refused`: it is proved that nothing happened, so that the item may
 * be submitted anew, changed or not.
 */
export type JournalState = "sending" | "submitted" | "succeeded" | "failed" | "refused";

/** What is written down of one item of a batch. It holds no image, no API key and no signed address. */
export interface JournalEntry {
  /** The caller's name for the item. */
  readonly id: string;
  readonly state: JournalState;
  /** The key that the item is submitted under, always the same. */
  readonly idempotencyKey: string;
  /** What the item is: the SHA-256 of what is sent, in hexadecimal. */
  readonly digest: string;
  /** Whether the service is asked to hold its answer: part of what is sent, so the same whenever it is sent again. */
  readonly held: boolean;
  /** Output size, which sets the price. Missing in entries of older releases: they count at the highest price. */
  readonly size?: string | undefined;
  /** When it was first about to be sent, in milliseconds since 1970. */
  readonly sentAt: number;
  /** The job, once it is known. */
  readonly job?: SavedJob | undefined;
}

/**
 * Where a batch writes down what it is about to do and what came of it, so that it can be run again after a crash without
 * paying twice. It belongs to one running batch at a time.
 */
export interface Journal {
  /** The last entry that was put for an item, by whichever run. */
  get(id: string): Promise<JournalEntry | undefined>;
  /** Returns the last entry of each item, in any order. A batch with a `budget` calls it once, before it sends anything. */
  list(): Iterable<JournalEntry> | AsyncIterable<JournalEntry>;
  /** Keeps an entry. Resolves once it would outlive the end of the program and of the machine. */
  put(entry: JournalEntry): Promise<void>;
}
