export type { BatchItem } from "./batch-item.ts";
export { BatchStoppedError, type StopReason } from "./batch-stopped-error.ts";
export { batch } from "./batch.ts";
export type { Journal, JournalEntry, JournalState } from "./journal.ts";
export type { BatchOptions } from "./options.ts";
export type { BatchProgress, OnProgress } from "./progress.ts";
export type { SpendingLimit } from "./spending.ts";
export { stoppingCodes } from "./stop-rule.ts";
