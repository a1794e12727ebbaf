import type { TryOnErrorCode } from "@tryon/client";
import type { SessionError } from "@tryon/client/session";

/**
 * Action that the page offers after an error. `retry`, `check` and `wait` continue the same try-on: the first if nothing was
 * made, the second to find out, the third with a known job. `edit`: change images or options. `reload`: reload the page.
 */
export type ErrorAction = "retry" | "check" | "wait" | "edit" | "reload";

/** Error as visitors read it. */
export interface ErrorMessage {
  readonly title: string;
  readonly advice: string;
  readonly action: ErrorAction;
}

/** Message for errors that only the shop can fix. */
const shopError: ErrorMessage = {
  title: "Try-ons are not available",
  advice: "Something is wrong with the shop. Nothing was made. Try again later.",
  action: "retry",
};

const unknownOutcome: ErrorMessage = {
  title: "The connection was lost",
  advice: "Your try-on may have started. Check its status: it is never made twice.",
  action: "check",
};

export const messages: Readonly<Record<TryOnErrorCode, ErrorMessage>> = {
  invalid_input: {
    title: "These images cannot be used",
    advice: "Nothing was sent. Choose other files.",
    action: "edit",
  },
  bad_request: {
    title: "These images were rejected",
    advice: "Nothing was made. Choose sharp, upright images that are not too large.",
    action: "edit",
  },
  validation_failed: {
    title: "These options are not allowed",
    advice: "Nothing was made. Choose another size or other instructions.",
    action: "edit",
  },
  payload_too_large: {
    title: "Your images are too large",
    advice: "Nothing was made. Choose smaller images or fewer garments.",
    action: "edit",
  },
  job_failed: {
    title: "Your image could not be made",
    advice: "Another photo often helps: the whole body, in good light.",
    action: "edit",
  },
  rate_limited: {
    title: "Too many requests",
    advice: "Nothing was made. Try again in a moment.",
    action: "retry",
  },
  connection_failed: {
    title: "No connection",
    advice: "Nothing was made. Check your network, then try again.",
    action: "retry",
  },
  timed_out: {
    title: "The connection is too slow",
    advice: "Nothing was made. Try again, or choose smaller images.",
    action: "retry",
  },
  outcome_unknown: unknownOutcome,
  server_error: { ...unknownOutcome, title: "The shop did not respond" },
  // The proxy also responds with this code if its key or credits are the problem.
  unavailable: {
    title: "No try-ons at the moment",
    advice: "Check again later. If your try-on has started, it is never made twice.",
    action: "check",
  },
  idempotency_conflict: {
    title: "Your image is already being made",
    advice: "Check its status: it is never made twice.",
    action: "check",
  },
  wait_timed_out: {
    title: "This takes unusually long",
    advice: "Your image is still being made. You can keep waiting.",
    action: "wait",
  },
  result_expired: {
    title: "Your image could not be loaded",
    advice: "It is saved. Load it again in a moment.",
    action: "wait",
  },
  result_purged: {
    title: "Your image was deleted",
    advice: "Images are kept for 30 days. Start a new try-on.",
    action: "edit",
  },
  not_found: {
    title: "Your try-on was not found",
    advice: "The shop has deleted it, or it belongs to another visitor. Start a new one.",
    action: "edit",
  },
  unauthorized: {
    title: "Your session has expired",
    advice: "Reload the page. If that does not help, allow cookies for it.",
    action: "reload",
  },
  forbidden: {
    title: "This is not allowed",
    advice: "Nothing was made. Reload the page, or contact the shop.",
    action: "reload",
  },
  insufficient_credits: shopError,
  budget_exceeded: shopError,
  batch_stopped: shopError,
  payment_failed: shopError,
  purchase_already_processed: shopError,
  redirected: shopError,
  unexpected_response: shopError,
  unsafe_environment: shopError,
  invalid_config: shopError,
};

const contentBlocked: ErrorMessage = {
  title: "This content is not allowed",
  advice:
    "An image or your instructions violate the rules of the service. Choose others: repeated violations can suspend try-ons for everyone.",
  action: "edit",
};

const interrupted: ErrorMessage = {
  title: "Your try-on was interrupted",
  advice: "That was too long ago to continue it. Start a new one.",
  action: "edit",
};

const pageError: ErrorMessage = {
  title: "This page has an error",
  advice: "Reload it. If a try-on was running, you can then get your image.",
  action: "reload",
};

/** Facts about the try-on of an error. */
interface Known {
  /** If true, the service has accepted the request. Then the image is made despite most errors. */
  readonly hasJob?: boolean;
  /** If false, the try-on cannot be continued. */
  readonly canResume?: boolean;
}

/** Describes an error to visitors, without details of the shop such as keys, prices and URLs. */
export function errorMessage(
  { code, retryAfter, isContentBlocked }: SessionError,
  { hasJob = false, canResume = true }: Known = {},
): ErrorMessage {
  if (code === "unexpected") return pageError;
  if (isContentBlocked) return contentBlocked;
  const message = messages[code];
  const isOpen = message.action === "retry" || message.action === "check";
  if (isOpen && !canResume) return interrupted;
  if (isOpen && hasJob) {
    const advice = "Your image is still being made. Keep waiting for it.";
    return { title: message.title, advice, action: "wait" };
  }
  if (code !== "rate_limited" || !retryAfter) return message;
  const seconds = Math.ceil(retryAfter);
  const delay = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return { ...message, advice: `Nothing was made. Try again in ${delay}.` };
}
