import type { WebhookErrorCode } from "../webhook-error.ts";

/** What a receiver answers, in no framework's words. */
export interface ReceiverResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON with `code` and `message`, or nothing. */
  readonly body: string | null;
}

/** Why a delivery was not taken: a code of verification, or one of these. */
export type RejectionCode = WebhookErrorCode | "method_not_allowed" | "handler_failed";

const statuses: Partial<Record<RejectionCode, number>> = {
  method_not_allowed: 405,
  body_too_large: 413,
  // The receiver's own to mend: the service tries again, and the event may be saved.
  raw_body_required: 500,
  invalid_secret: 500,
  handler_failed: 500,
  duplicate_event: 503,
};

/** An answer without a body. */
export function accepted(status: 202 | 204): ReceiverResponse {
  return { status, headers: {}, body: null };
}

/** The answer to a delivery that was not taken. Messages hold no header, body or secret. */
export function rejected(
  code: RejectionCode,
  message: string,
  status = statuses[code] ?? 400,
): ReceiverResponse {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (code === "method_not_allowed") headers["allow"] = "POST";
  return { status, headers, body: JSON.stringify({ code, message }) };
}

/** The same for a fetch handler. */
export function toResponse({ status, headers, body }: ReceiverResponse): Response {
  return new Response(body, { status, headers });
}
