export type { Cause, Finding } from "./explain/causes.ts";
export { explain } from "./explain/explain.ts";
export type { Explanation, ExplainOptions } from "./explain/explain.ts";
export type { FetchRequest, NodeRequest } from "./verification/body.ts";
export type {
  EventFields,
  ImageSource,
  TryOnCompletedEvent,
  TryOnEvent,
  TryOnFailedEvent,
  TryOnSucceededEvent,
  UnknownEvent,
} from "./verification/event.ts";
export type { RawBody } from "./verification/body.ts";
export type { SecretSource, Secrets } from "./verification/secrets.ts";
export type { WebhookHeaders } from "./verification/header-values.ts";
export { sign } from "./signing/sign.ts";
export type { SignOptions } from "./signing/sign.ts";
export { signedRequest } from "./signing/signed-request.ts";
export type { OtherEvent, SignedRequestOptions } from "./signing/signed-request.ts";
export { safeVerify, verify } from "./verification/verify.ts";
export type { VerifyOptions, VerifyOutcome, VerifySettings } from "./verification/verify.ts";
export { isWebhookError, WebhookError } from "./webhook-error.ts";
export type { WebhookErrorCode } from "./webhook-error.ts";
export { createMemoryStore } from "./receiver/memory-store.ts";
export type { MemoryStoreOptions } from "./receiver/memory-store.ts";
export type { Clock } from "./receiver/clock.ts";
export type { HandlerContext, ReceiverOptions } from "./receiver/options.ts";
export { createReceiver } from "./receiver/receiver.ts";
export type { Receiver } from "./receiver/receiver.ts";
export type { ClaimState, ReceiverStore } from "./receiver/store.ts";
