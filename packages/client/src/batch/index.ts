export { BatchStoppedError, type StopReason } from "@tryon/client";
export { batch } from "./batch.ts";
export type { ItemClaim, Journal, JournalEntry, JournalState, SharedJournal } from "./journal.ts";
export type {
  BatchItem,
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
export { stoppingCodes } from "./stop-rule.ts";
