import { TryOnError } from "./tryon-error.ts";

/**
 * Failure without a usable response: none (`connection_failed`), none in time (`timed_out`), a redirect, which is not
 * followed (`redirected`), or a response that the service would not send (`unexpected_response`).
 */
export class ConnectionError extends TryOnError {
  declare readonly code: "connection_failed" | "timed_out" | "redirected" | "unexpected_response";
}
