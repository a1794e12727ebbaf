export { diagnostics, type RequestMessage } from "./diagnostics.ts";
export type { JobMessage } from "./job-tracer.ts";
export { toNodeHandler } from "./to-node-handler.ts";
export { openJournal, type FileJournal } from "./journal/file-journal.ts";
