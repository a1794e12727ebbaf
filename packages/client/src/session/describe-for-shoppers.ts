import { isTryOnError, type InputIssue, type InputIssueCode } from "@tryon/client";

import type { SessionError, TryOnSnapshot } from "./types.ts";

/** Facts of a message, where they apply. */
interface ShopperFacts {
  /** Field of the input that it concerns: `person`, `garments`, `garments.1` for the second, or another one. */
  readonly field?: string | undefined;
  /** Limit of that field, in its unit, such as bytes for `photo_too_large`. */
  readonly limit?: number | undefined;
  /** Seconds to wait before `resume`. */
  readonly retryAfter?: number | undefined;
  /** Whole seconds since the start, in a state that is not `failed`. */
  readonly elapsed?: number | undefined;
  /** Option `typical`. */
  readonly typical?: number | undefined;
}

const isImage = (field = ""): boolean => /^(person|garment|file)/.test(field);

function aboutImage({ field }: ShopperFacts, problem: string): string {
  const image = isImage(field) ? "A garment image" : "An image";
  return `${field === "person" ? "Your photo" : image} ${problem}. Choose another one.`;
}

function inTime(seconds?: number): string {
  if (!seconds) return "in a moment";
  const format = new Intl.RelativeTimeFormat("en");
  if (seconds < 90) return format.format(Math.ceil(seconds), "second");
  if (seconds < 5_400) return format.format(Math.ceil(seconds / 60), "minute");
  return format.format(Math.ceil(seconds / 3_600), "hour");
}

// No text is a call, or a bundler could not remove the table from a page that does not use it.
const english = {
  idle: "",
  preparing: "Preparing your photo.",
  uploading: "Sending your photo.",
  retrying: "The connection is slow. Trying again.",
  queued: "Your try-on starts soon.",
  running: ({ typical }: ShopperFacts) =>
    `Creating your image. It often takes up to ${typical} seconds.`,
  slow: "Creating your image. It takes longer than usual.",
  leave: "Creating your image. You can leave this page and get it later.",
  loading: "Loading your image.",
  succeeded: "Your image is ready.",
  interrupted: "You stopped waiting. Continue to get your image.",
  incomplete: "Choose a photo of you and 1 to 3 garments.",
  photo_format: (facts: ShopperFacts) => aboutImage(facts, "is not a JPEG or PNG"),
  photo_too_large: (facts: ShopperFacts) => aboutImage(facts, "is too large"),
  photo_too_small: (facts: ShopperFacts) => aboutImage(facts, "is too small"),
  photo_damaged: (facts: ShopperFacts) => aboutImage(facts, "cannot be read"),
  photo_unusable: (facts: ShopperFacts) => aboutImage(facts, "cannot be used"),
  options_unusable: "These options cannot be used. Choose others.",
  blocked: "This photo or text is not allowed. Choose another one.",
  blocked_often: ({ retryAfter }: ShopperFacts) =>
    `Several try-ons were not allowed. Try again ${inTime(retryAfter)}.`,
  failed: "Your image could not be made. Choose another photo.",
  try_later: ({ retryAfter }: ShopperFacts) => `Please wait. Try again ${inTime(retryAfter)}.`,
  offline: "The connection failed. Check your network, then try again.",
  unconfirmed: "The connection was lost. Continue to get your image.",
  wait: "Your image is not here yet. Continue to get it.",
  gone: "This image is not available anymore. Start again.",
  sign_in: "Your session has expired. Reload the page.",
  not_available: "Try-ons are not available at the moment. Try again later.",
  page_error: "This page has a problem. Reload it.",
};

/**
 * Code of a message for shoppers. Codes are stable.
 *
 * @useDeclaredType
 */
export type ShopperCode = keyof typeof english;

/**
 * Next step of the shopper. `resume`: continue the same try-on with `resume` of the session, or with `error.job.result()` or
 * `error.recover()`. `change`: choose other images or options, and start again. `reload`: reload the page, or sign in.
 */
export type ShopperAction = "resume" | "change" | "reload";

/** Message for shoppers as data. */
export interface ShopperDetails extends ShopperFacts {
  /** Kind of the message. */
  readonly code: ShopperCode;
  /** Next step of the shopper. Undefined if there is nothing to do. */
  readonly action: ShopperAction | undefined;
}

/** Message for shoppers, as `describeForShoppers` returns it. */
export interface ShopperMessage extends ShopperDetails {
  /** One or two short sentences, without ids, prices and messages for developers. Empty for `idle`. */
  readonly text: string;
}

/** Texts of an app, such as translations: a text, or a function of the details. */
export type ShopperTexts = {
  readonly [Code in ShopperCode]?: string | ((details: ShopperDetails) => string);
};

/** Options of `describeForShoppers`. */
export interface ShopperOptions {
  /**
   * Texts that replace the English ones. `satisfies Required<ShopperTexts>` makes the compiler ask for each text.
   *
   * @default the English texts
   */
  readonly texts?: ShopperTexts | undefined;
  /** Time in milliseconds since 1970. @default Date.now() */
  readonly now?: number | undefined;
  /** Seconds that a try-on of your shop often takes. @default 30 */
  readonly typical?: number | undefined;
}

/** Codes of the other errors and issues are of the shop, or of their field. */
const codes: { readonly [Code in SessionError["code"] | InputIssueCode]?: ShopperCode } = {
  bad_request: "photo_unusable",
  connection_failed: "offline",
  count: "incomplete",
  empty: "photo_damaged",
  idempotency_conflict: "unconfirmed",
  job_failed: "failed",
  low_resolution: "photo_too_small",
  missing: "incomplete",
  not_an_image: "photo_format",
  not_found: "gone",
  outcome_unknown: "unconfirmed",
  payload_too_large: "photo_too_large",
  rate_limited: "try_later",
  result_expired: "wait",
  result_purged: "gone",
  server_error: "unconfirmed",
  timed_out: "offline",
  too_large: "photo_too_large",
  too_many_refusals: "blocked_often",
  truncated: "photo_damaged",
  unauthorized: "sign_in",
  unexpected: "page_error",
  unknown_image: "photo_format",
  unreadable: "photo_damaged",
  validation_failed: "options_unusable",
  wait_timed_out: "wait",
};

/** After other errors, the shopper has to change the input. */
const actions: { readonly [Code in ShopperCode]?: ShopperAction } = {
  blocked_often: "resume",
  interrupted: "resume",
  not_available: "resume",
  offline: "resume",
  page_error: "reload",
  sign_in: "reload",
  try_later: "resume",
  unconfirmed: "resume",
  wait: "resume",
};

/** Fields of a `TryOnError`, a `SessionError` or an issue, as far as they say something to shoppers. */
interface ErrorFields {
  readonly code?: string;
  readonly name?: string;
  /** Path of an issue. Errors have a method of this name. */
  readonly field?: unknown;
  readonly bound?: number;
  readonly retryAfter?: number;
  readonly isContentBlocked?: boolean;
  readonly issues?: readonly Partial<InputIssue>[];
  readonly job?: unknown;
}

function describeError(error: unknown, hasJob: boolean, canResume = true): ShopperDetails {
  const fields = Object(error) as ErrorFields;
  const { code: name = "", bound: limit, retryAfter, issues } = fields;
  const issue = issues?.find(({ severity }) => severity !== "warning");
  if (issue) return describeError(issue, false);
  let code = (codes as { readonly [code: string]: ShopperCode | undefined })[name];
  let field: string | undefined;
  if (typeof fields.field === "string") {
    field = fields.field.replace(/^person.*/, "person").replace(/^garment[^.]*/, "garments");
    code ??= isImage(field) ? "photo_unusable" : "options_unusable";
  } else if (fields.name === "AbortError") code = "interrupted";
  // Codes of Node, such as EACCES, are of other errors.
  else if (name === "" || (error instanceof Error && !isTryOnError(error))) code = "page_error";
  else if (fields.isContentBlocked) code = "blocked";
  code ??= "not_available";
  let action = actions[code] ?? "change";
  if (action === "resume" && hasJob) code = "wait";
  else if (action === "resume" && !canResume) {
    action = "change";
    if (code === "unconfirmed") code = "gone";
  }
  return { code, action, field, limit, retryAfter };
}

type ProgressSnapshot = Exclude<TryOnSnapshot, { readonly status: "failed" }>;

function stepOf(state: ProgressSnapshot, elapsed: number, typical: number): ShopperCode {
  if (state.status === "uploading" && state.isRetrying) return "retrying";
  if (state.status !== "waiting") return state.status;
  if (state.jobStatus === "succeeded") return "loading";
  if (elapsed > typical) return elapsed > 3 * typical && state.isSaved ? "leave" : "slow";
  return state.jobStatus === "queued" ? "queued" : "running";
}

/** The status of an error is a number. */
function isState(subject: unknown): subject is TryOnSnapshot {
  return typeof (Object(subject) as { readonly status?: unknown }).status === "string";
}

function detailsOf(subject: unknown, now: number, typical: number): ShopperDetails {
  if (!isState(subject)) {
    return describeError(subject, (Object(subject) as ErrorFields).job !== undefined);
  }
  if (subject.status === "failed") {
    return describeError(subject.error, subject.jobId !== undefined, subject.canResume);
  }
  const startedAt = subject.status === "idle" ? now : subject.startedAt;
  const elapsed = Math.max(0, Math.floor((now - startedAt) / 1_000));
  const code = stepOf(subject, elapsed, typical);
  return { code, action: actions[code], elapsed, typical };
}

/**
 * Describes a state of a session, an error or an issue of `validate` to a shopper: what it is and what to do, as data and as
 * a short text for a live region. The text has no ids, prices or messages for developers, and does not say if anything was
 * charged. It changes only when there is something new. Pass `texts` for other languages.
 *
 * @param subject - State of a session, caught error, its `error`, or an issue.
 * @example
 * import { createTryOnSession, describeForShoppers } from "@tryon/client/session";
 *
 * const session = createTryOnSession(tryon);
 * session.subscribe(() => {
 *   const { text, action } = describeForShoppers(session.getSnapshot(), {
 *     texts: { succeeded: "Dein Bild ist fertig." },
 *   });
 *   button.textContent = text;
 *   button.disabled = action !== "resume";
 * });
 */
export function describeForShoppers(
  subject: unknown,
  { texts = {}, now = Date.now(), typical = 30 }: ShopperOptions = {},
): ShopperMessage {
  const details = detailsOf(subject, now, typical);
  const text = texts[details.code] ?? english[details.code];
  return { ...details, text: typeof text === "function" ? text(details) : text };
}
