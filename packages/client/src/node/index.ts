export { diagnostics, type RequestMessage } from "./diagnostics.ts";
export { toNodeHandler } from "./to-node-handler.ts";
export { openJournal, type FileJournal } from "./journal/file-journal.ts";
