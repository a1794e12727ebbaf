export { BatchStoppedError, type StopReason } from "@tryon/client";
export { batch } from "./batch.ts";
export type { ItemClaim, Journal, JournalEntry, JournalState, SharedJournal } from "./journal.ts";
export type {
  BatchItem,
  BatchItemStatus,
  BatchOptions,
  BatchProgress,
  CommonOptions,
  EndedItem,
  IdOption,
  InputOption,
  OnProgress,
  WithInput,
  WithJournal,
} from "./options.ts";
export type { RetryFailed } from "./retry-failed.ts";
export { stoppingCodes } from "./stop-rule.ts";
