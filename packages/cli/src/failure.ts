import { isTryOnError, type FieldIssue, type TryOnError, type TryOnErrorCode } from "@tryon/client";
import { UsageError } from "@tryon/cli-kit";

/** Errors of options and inputs, for which nothing was sent. */
const usageCodes: ReadonlySet<TryOnErrorCode> = new Set([
  "invalid_config",
  "invalid_input",
  "unsafe_environment",
]);

const checkUrl = "Check --base-url (TRYON_BASE_URL).";

/** Next steps on a command line, where those of the client name its methods. */
const hints: { readonly [Code in TryOnErrorCode]?: string } = {
  budget_exceeded: "Nothing was sent. Raise --max-credits.",
  connection_failed: checkUrl,
  forbidden: "The key or its account is disabled or flagged: check the dashboard.",
  insufficient_credits:
    "Buy credits, or use a smaller --size. Nothing was charged. To buy a pack: tryon credits buy.",
  // The journal of a batch has the key of the submission.
  outcome_unknown:
    "Run the same command again: it looks for the job, and is not charged twice. A row with a new id is another try-on with its own charge.",
  job_failed: "A new try-on is a new job with its own charge.",
  rate_limited: "Wait a minute, then run the command again.",
  redirected: "Use that URL as --base-url.",
  timed_out: "Try again later.",
  unexpected_response: checkUrl,
  unauthorized: "Check TRYON_API_KEY.",
  unsafe_environment: "Use https, or a server on this machine.",
  wait_timed_out:
    "The job continues and is billed once. Run the same command again to wait for it.",
};

const flags: Readonly<Record<string, string>> = {
  garments: "--garment",
  output_size: "--size",
  baseUrl: "--base-url",
  apiKey: "the API key",
};

function flagOf(field: string): string {
  const [name = ""] = field.split(".");
  return flags[name] ?? `--${name.replaceAll("_", "-")}`;
}

/** Codes of problems with an image, whose hints name types of the client. */
const imageCodes: ReadonlySet<string> = new Set(["wrong_kind", "missing", "not_https"]);

export class CommandError extends Error {
  readonly code: string;
  readonly jobId: string | undefined;

  constructor(code: string, message: string, jobId?: string) {
    super(message);
    this.code = code;
    this.jobId = jobId;
  }
}

function hintOf(error: TryOnError): string | undefined {
  // A new try-on of blocked content would be blocked, too.
  const isBlocked = isTryOnError(error, "job_failed") && error.isContentBlocked;
  return (isBlocked ? undefined : hints[error.code]) ?? error.hint;
}

export function describeError(error: TryOnError, hint = hintOf(error)): string {
  const { code, message } = error;
  const end = error.hint !== undefined && message.endsWith(error.hint) ? error.hint.length : 0;
  const issues: readonly (FieldIssue & { readonly code?: string })[] = error.issues ?? [];
  if (!usageCodes.has(code) || issues.length === 0) {
    return `${message.slice(0, message.length - end).trim()} ${hint ?? ""}`.trim();
  }
  // The message of an issue begins with its field.
  const problems = issues.map(
    (issue) => flagOf(issue.field) + issue.message.slice(issue.field.length),
  );
  const isImage = imageCodes.has(issues[0]?.code ?? "");
  const next = isImage ? "Use an https URL, or the path of an image." : (hint ?? "");
  return `${problems.join(" ")} ${next}`.trim();
}

/**
 * Converts an error of the client: those of options and inputs become a `UsageError`, others a `CommandError`.
 *
 * @param hint - Next step, if the command has a better one.
 */
export function toFailure(error: unknown, hint?: string): unknown {
  if (!isTryOnError(error)) return error;
  const message = describeError(error, hint);
  if (usageCodes.has(error.code)) return new UsageError(message);
  return new CommandError(error.code, message, error.job?.id);
}
