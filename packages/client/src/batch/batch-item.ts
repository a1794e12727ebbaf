import { isTryOnError, type Job, type TryOnResult } from "@tryon/client";

import type { ItemOutcome } from "./run-item.ts";

/** Fields present on every item of a batch. */
export interface EndedItem<Input> {
  /** Id that the `id` option returned. Without that option, the index as a string. */
  readonly id: string;
  /** Zero-based position in `inputs`. */
  readonly index: number;
  /** The item from `inputs`. */
  readonly input: Input;
  /** If true, an earlier run finished the item and the journal has its outcome. */
  readonly fromJournal: boolean;
}

/** One finished item of a batch, with either a result or an error. See {@link EndedItem} for the common fields. */
export type BatchItem<Input> = EndedItem<Input> &
  (
    | { readonly result: TryOnResult; readonly error: undefined; readonly job: Job }
    | {
        readonly result: undefined;
        /** A `TryOnError`, or the error that `input` or `id` threw. */
        readonly error: Error;
        /** The job, if the service created one. It may still be running, and it is charged. */
        readonly job: Job | undefined;
      }
  );

/** Creates the item that the batch yields. */
export function batchItem<Input>(
  item: Omit<EndedItem<Input>, "fromJournal">,
  { result, error, job, fromJournal = false }: ItemOutcome,
): BatchItem<Input> {
  if (result) return { ...item, fromJournal, result, error: undefined, job: result.job };
  return {
    ...item,
    fromJournal,
    result: undefined,
    error: error instanceof Error ? error : new Error(String(error), { cause: error }),
    job: job ?? (isTryOnError(error) ? error.job : undefined),
  };
}
