export { diagnostics, type RequestMessage } from "./diagnostics.ts";
export { toNodeHandler } from "./to-node-handler.ts";
export type { FileJournal } from "./journal/file-journal.ts";
export { openJournal } from "./journal/open-journal.ts";
