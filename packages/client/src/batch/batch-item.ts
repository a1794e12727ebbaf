import type { Job, TryOnResult } from "@tryon/client";

/** What is there of an item however it ended. */
export interface EndedItem<Input> {
  /** What `id` called it; its index as text where there is no `id`. */
  readonly id: string;
  /** How many came before it in `inputs`. */
  readonly index: number;
  /** The item of `inputs`, as it came. */
  readonly input: Input;
  /** Whether it was done by an earlier run: the journal knew its end. */
  readonly fromJournal: boolean;
}

/** How one item of a batch ended: with a result, or with what went wrong with it; and {@link EndedItem | which it was}. */
export type BatchItem<Input> = EndedItem<Input> &
  (
    | { readonly result: TryOnResult; readonly error: undefined; readonly job: Job }
    | {
        readonly result: undefined;
        /** A `TryOnError`, or what `input` or `id` threw. */
        readonly error: Error;
        /** The job, where there is one: it may run on, and is paid for. */
        readonly job: Job | undefined;
      }
  );
