import { isTryOnError, type TryOnError, type TryOnErrorCode } from "@tryon/client";

/** What the visitor can do: the page has a button for each. */
export type Remedy =
  /** The same try-on once more, as a new one: nothing was made. */
  | "again"
  /** Ask what became of the one that was sent, which never makes a second. */
  | "find out"
  /** Wait on for the job that is known. */
  | "wait"
  /** Only other pictures or words help. */
  | "change"
  /** A fresh page helps: who the visitor is was lost. */
  | "reload";

/** An error as visitors read it. */
export interface ErrorWords {
  readonly title: string;
  readonly advice: string;
  readonly remedy: Remedy;
}

/** For what the shop has to put right: visitors are told no more of it than they can use. */
const closed: ErrorWords = {
  title: "The fitting room is closed",
  advice: "Something is wrong on the shop’s side, not on yours. Nothing was made. Come back later.",
  remedy: "again",
};

const unanswered: ErrorWords = {
  title: "The shop did not answer",
  advice: "We cannot tell yet whether your try-on has begun. Find out: it is never made twice.",
  remedy: "find out",
};

const words: Readonly<Record<TryOnErrorCode, ErrorWords>> = {
  invalid_input: {
    title: "These pictures cannot be used",
    advice: "Nothing was sent. Choose other files.",
    remedy: "change",
  },
  bad_request: {
    title: "These pictures were refused",
    advice: "Nothing was made. Choose other ones: sharp, upright and not too big.",
    remedy: "change",
  },
  validation_failed: {
    title: "Something here is not allowed",
    advice: "Nothing was made. Choose another size, or other words for your wish.",
    remedy: "change",
  },
  payload_too_large: {
    title: "Too much at once",
    advice: "Nothing was made. Choose smaller pictures, or fewer garments.",
    remedy: "change",
  },
  job_failed: {
    title: "It did not work out this time",
    advice: "Another photo often helps: the whole body, good light, nothing in front of it.",
    remedy: "change",
  },
  rate_limited: {
    title: "Many people are in here",
    advice: "Nothing was made. Try again in a moment.",
    remedy: "again",
  },
  connection_failed: {
    title: "No connection",
    advice: "Nothing was made. Check your network, then try again.",
    remedy: "again",
  },
  timed_out: {
    title: "The connection is too slow",
    advice: "Nothing was made. Try again, or choose smaller pictures.",
    remedy: "again",
  },
  outcome_unknown: {
    title: "The connection broke",
    advice: unanswered.advice,
    remedy: "find out",
  },
  server_error: unanswered,
  // Also what the shop's proxy says of its own key and credits.
  unavailable: {
    title: "No try-ons at the moment",
    advice:
      "Ask again in a while. If yours has begun after all, it is found, and never made twice.",
    remedy: "find out",
  },
  idempotency_conflict: {
    title: "It is being made already",
    advice: "Find out how far it is: it is never made twice.",
    remedy: "find out",
  },
  wait_timed_out: {
    title: "It takes unusually long",
    advice: "Your picture is still being made, and charged once. Waiting on costs nothing.",
    remedy: "wait",
  },
  result_expired: {
    title: "The picture is made but does not come",
    advice: "It is kept for you. Fetch it again in a moment.",
    remedy: "wait",
  },
  result_purged: {
    title: "This picture is gone",
    advice: "Pictures are kept for 30 days. A new try-on makes a new one.",
    remedy: "change",
  },
  not_found: {
    title: "We cannot find this try-on",
    advice: "The shop does not have it any more, or it belongs to somebody else. Begin a new one.",
    remedy: "change",
  },
  unauthorized: {
    title: "We lost track of who you are",
    advice: "Reload the page. If that does not help, allow cookies for it.",
    remedy: "reload",
  },
  forbidden: {
    title: "You cannot do this here",
    advice: "Nothing was made. Reload the page, or ask the shop.",
    remedy: "reload",
  },
  insufficient_credits: {
    title: "The shop has run out of try-ons",
    advice: "Nothing was made, and it is not your fault. Come back later.",
    remedy: "again",
  },
  budget_exceeded: closed,
  batch_stopped: closed,
  payment_failed: closed,
  purchase_already_processed: closed,
  redirected: closed,
  unexpected_response: closed,
  unsafe_environment: closed,
  invalid_config: closed,
};

const contentBlocked: ErrorWords = {
  title: "This cannot be shown",
  advice:
    "A picture or your wish goes against the rules of the service. Choose others: asking for the same again can close the fitting room for everybody.",
  remedy: "change",
};

const unexpected: ErrorWords = {
  title: "Something went wrong in this page",
  advice: "Reload it. If a try-on was under way, you can pick it up then.",
  remedy: "reload",
};

const interrupted = {
  advice: "Your picture is being made all the same, and charged once. Wait on when you are back.",
  remedy: "wait",
} as const;

/**
 * Says to visitors what went wrong and what to do: no word of keys, credits and addresses, which are the shop’s.
 *
 * @param jobKnown - Whether the service has taken the try-on: it goes on then, whatever keeps the page from asking for it.
 */
export function errorWords(error: unknown, jobKnown = false): ErrorWords {
  if (!isTryOnError(error)) return unexpected;
  const blocked = isTryOnError(error, "job_failed") && error.isContentBlocked;
  const found = blocked ? contentBlocked : words[error.code];
  if (jobKnown && (found.remedy === "again" || found.remedy === "find out")) {
    return { title: found.title, ...interrupted };
  }
  if (error.code === "rate_limited") return { ...found, advice: pauseAdvice(error, found.advice) };
  return found;
}

function pauseAdvice({ retryAfter }: TryOnError, otherwise: string): string {
  if (!retryAfter) return otherwise;
  const seconds = Math.ceil(retryAfter);
  const pause = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return `Nothing was made. Try again in ${pause}.`;
}
