export { safeVerifySync, verifySync } from "./verify-sync.ts";
export type { BufferedRequest, SyncSecretSource, VerifySyncOptions } from "./verify-sync.ts";
export type { IncomingRequest, NodeReceiver, OutgoingResponse } from "../adapters/node-receiver.ts";
export { createReceiver } from "./http.ts";
