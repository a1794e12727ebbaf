export type { Journal, JournalEntry, JournalState } from "./journal.ts";
