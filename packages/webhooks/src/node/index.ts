export type { SyncSecretSource } from "./resolve-secrets-sync.ts";
export { safeVerifySync, verifySync } from "./verify-sync.ts";
export type { BufferedRequest, VerifySyncOptions, VerifySyncSettings } from "./verify-sync.ts";
export type { IncomingRequest, NodeReceiver, OutgoingResponse } from "../adapters/node-receiver.ts";
export { createReceiver } from "./http.ts";
