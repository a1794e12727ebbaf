export { diagnostics, type RequestMessage } from "./diagnostics.ts";
