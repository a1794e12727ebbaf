export { BatchStoppedError, type StopReason } from "@tryon/client";
export type { BatchItem, EndedItem } from "./batch-item.ts";
export { batch } from "./batch.ts";
export type { Journal, JournalEntry, JournalState } from "./journal.ts";
export type {
  BatchOptions,
  CommonOptions,
  IdOption,
  InputOption,
  WithInput,
  WithJournal,
} from "./options.ts";
export type { BatchProgress, OnProgress } from "./options.ts";
export { stoppingCodes } from "./stop-rule.ts";
