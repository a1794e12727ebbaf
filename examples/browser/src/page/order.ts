import type { OutputSize, SavedJob, TryOnInput } from "@tryon/client";

/** What a visitor wants to see. */
export interface Wish {
  readonly person: Blob;
  readonly garments: readonly Blob[];
  readonly size: OutputSize;
  readonly words: string;
}

/** A wish that was sent, or is about to be, with all that it takes to ask for it again. */
export interface Order extends Wish {
  /** The key under which it is submitted: the same key never makes a second job. */
  readonly key: string;
  /** When it was first sent, in milliseconds since 1970. */
  readonly since: number;
  /** The job, once it is known. */
  readonly job?: SavedJob;
}

/** For how long a key is remembered for certain: the `idempotencyWindow` of the client, in milliseconds. */
const keyRemembered = 30 * 60_000;
/** For how long an order is kept in the browser, in milliseconds. */
const kept = 24 * 60 * 60_000;

/** Whether it can be asked for without making it a second time. */
export function canBePickedUp({ job, since }: Order, now: number): boolean {
  return now - since < (job === undefined ? keyRemembered : kept);
}

/** The order as the client takes it. */
export function inputOf({ person, garments, size, words }: Wish): TryOnInput {
  return { person, garments, output_size: size, ...(words !== "" && { prompt: words }) };
}
