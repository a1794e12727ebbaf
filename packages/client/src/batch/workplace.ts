import type { Attempt, Budget, Duration, Job, TryOn, TryOnInput, TryOnResult } from "@tryon/client";

/** What the items of a batch share. */
export interface Workplace {
  readonly tryon: TryOn;
  readonly budget: Budget | undefined;
  readonly sync: boolean | "auto" | undefined;
  readonly timeout: Duration | undefined;
}

/** One item, once it has been read. */
export interface Task {
  readonly id: string;
  readonly input: TryOnInput;
  /** Aborted when nobody waits for the item any more. */
  readonly signal: AbortSignal;
  /** Waits until it may send its first request. */
  readonly turn: () => Promise<void>;
}

/** How an item ended. */
export interface End {
  readonly result?: TryOnResult | undefined;
  /** Whatever was thrown; absent when there is a result. */
  readonly error?: unknown;
  readonly job?: Job | undefined;
  /** Whether an earlier run had come to that end. */
  readonly fromJournal?: boolean;
  /** When this run began with its first request, in milliseconds since 1970; absent when there was none. */
  readonly startedAt?: number;
  /** The requests that submitted it. */
  readonly attempts?: readonly Attempt[];
}
