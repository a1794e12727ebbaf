export { diagnostics, type RequestMessage } from "./diagnostics.ts";
export { toNodeHandler } from "./to-node-handler.ts";
