import { TryOnError } from "./tryon-error.ts";

/**
 * No usable answer came: none at all (`connection_failed`), none in time (`timed_out`), one that points elsewhere and
 * is not followed (`redirected`), or one that is not what the service answers (`unexpected_response`).
 */
export class ConnectionError extends TryOnError {
  declare readonly code: "connection_failed" | "timed_out" | "redirected" | "unexpected_response";
}
