import { isTryOnError, RateLimitError, type Job, type TryOn } from "@tryon/client";
import type { TryOnEvent } from "@tryon/webhooks";

/** Compiled by each supported compiler, never called: a `switch` of the code of an error gives the fields of each. */
export function describeError(error: unknown): string | number | boolean | Job | undefined {
  if (error instanceof RateLimitError) {
    const code: "rate_limited" = error.code;
    return error.retryAfter ?? code;
  }
  if (!isTryOnError(error)) throw error;
  switch (error.code) {
    case "invalid_input":
      return error.issues.map(({ field, code }) => `${field}: ${code}`).join();
    case "validation_failed":
      return error.issues?.map(({ field, type }) => `${field}: ${type}`).join();
    case "rate_limited":
      return error.retryAfter;
    case "job_failed":
      return error.isContentBlocked || `${error.job.id}: ${error.error_message}`;
    case "wait_timed_out":
    case "result_expired":
    case "result_purged":
      return error.job;
    case "outcome_unknown":
      void error.recover();
      return error.idempotencyKey;
    case "server_error":
    case "unavailable":
    case "idempotency_conflict":
      void error.recover?.();
      return error.status;
    case "payment_failed":
    case "purchase_already_processed":
      return error.balance;
    case "budget_exceeded":
      return error.maxCredits - error.spent;
    case "batch_stopped":
      return error.reason;
    case "unexpected_response":
      return error.received?.size;
    case "bad_request":
    case "unauthorized":
    case "insufficient_credits":
    case "forbidden":
    case "not_found":
    case "payload_too_large":
    case "too_many_refusals":
      return error.status.toFixed();
    case "redirected":
    case "connection_failed":
    case "timed_out":
    case "unsafe_environment":
    case "invalid_config":
      // @ts-expect-error Only a failed job has this field.
      return error.isContentBlocked;
    default:
      return error satisfies never;
  }
}

/** The `status` of an event gives its fields. */
export async function describeEvent(tryon: TryOn, event: TryOnEvent): Promise<unknown> {
  if (event.status === null) return event.data["status"];
  if (event.status === "failed") {
    const url: null = event.result_url;
    // @ts-expect-error A failed job has no image.
    return url ?? event.image(tryon);
  }
  // @ts-expect-error The service may send no URL.
  const url: string = event.result_url;
  const image = await event.image(tryon, { timeout: "5s" });
  const bytes: Uint8Array = await image.bytes();
  return [url, bytes.byteLength];
}
