import { isTryOnError, type TryOnError, type TryOnErrorCode } from "@tryon/client";
import { UsageError } from "@tryon/command-line";

/** Errors of options and inputs, for which nothing was sent. */
const usageCodes: ReadonlySet<TryOnErrorCode> = new Set([
  "invalid_config",
  "invalid_input",
  "unsafe_environment",
]);

/** Next steps on a command line, where those of the client name its methods. */
const hints: { readonly [Code in TryOnErrorCode]?: string } = {
  budget_exceeded: "Nothing was sent. Raise --max-credits.",
  forbidden: "The key or its account is disabled or flagged: check the dashboard.",
  insufficient_credits: "Buy credits, or use a smaller --size. Nothing was charged.",
  // The journal of a batch has the key of the submission.
  outcome_unknown:
    "Run the same command again: it looks for the job, and is not charged twice. A row with a new id is another try-on with its own charge.",
  job_failed: "A new try-on is a new job with its own charge.",
  rate_limited: "Wait a minute, then run the command again.",
  redirected: "Use that URL as --base-url.",
  timed_out: "Try again later.",
  unauthorized: "Check TRYON_API_KEY.",
  unsafe_environment: "Use https, or a server on this machine.",
  wait_timed_out:
    "The job continues and is billed once. Run the same command again to wait for it.",
};

/** Names of the fields of inputs on a command line. */
const flags: ReadonlyArray<readonly [field: RegExp, flag: string]> = [
  [/\bgarments\.(\d)/g, "--garment"],
  [/\bgarments\b/g, "--garment"],
  [/\bperson\b(?=[ .])/g, "--person"],
  [/\boutput_size\b/g, "--size"],
  [/\bnegative_prompt\b/g, "--negative-prompt"],
  [/\bbaseUrl\b/g, "--base-url"],
  [/\bapiKey\b/g, "the API key"],
];

/** Hints of the client that name its options and types. */
const rewrittenHints: ReadonlyArray<readonly [hint: RegExp, onCommandLine: string]> = [
  [/a Blob.*$/, "or the path of an image."],
  [/\bbaseUrl \(/, "--base-url ("],
  [/\bapiKey \(/, "the API key ("],
];

/** Error of the service with the hint for a command line. Exit code 1. */
export class CommandError extends Error {
  readonly code: string;
  readonly jobId: string | undefined;

  constructor(code: string, message: string, jobId?: string) {
    super(message);
    this.code = code;
    this.jobId = jobId;
  }
}

/** Describes an error of the client for a command line: what went wrong and the next step, in one or two sentences. */
export function describeError(error: TryOnError, hint = hints[error.code] ?? error.hint): string {
  const { code, message } = error;
  const isHinted = error.hint !== undefined && message.endsWith(error.hint);
  let problem = isHinted ? message.slice(0, -(error.hint?.length ?? 0)).trim() : message;
  for (const [field, flag] of usageCodes.has(code) ? flags : []) {
    problem = problem.replaceAll(field, flag);
  }
  let next = hint ?? "";
  for (const [name, onCommandLine] of rewrittenHints) next = next.replace(name, onCommandLine);
  return `${problem} ${next}`.trim();
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
