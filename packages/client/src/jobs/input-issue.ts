import type { FieldIssue } from "../errors/tryon-error.ts";

const imageHint = "Give an https address, a Blob (fs.openAsBlob in Node), bytes or { base64 }.";

/** What can be wrong: the problem, with % for what was found and # for the bound, and what to do about it. */
const problems = {
  // No body can be made.
  wrong_kind: ["is not an image", imageHint],
  not_an_object: ["is not an object with person and garments"],
  not_a_list: ["is not a list", "Put it in a list."],
  not_json: ["cannot be written as JSON", "Is there a bigint, or an object in itself?"],
  twice: ["stands for %, which is given too"],
  unreadable: ["could not be read", "Was it changed, removed or read before? Open it again."],
  too_large: ["has % bytes, and the limit is #", "Scale it down, or send it as an https address."],
  // The service refuses it.
  missing: ["is missing", imageHint],
  count: ["has % images, and a try-on takes 1 to #"],
  too_long: ["has % characters, and the limit is #"],
  too_many: ["has % keys, and the limit is #"],
  not_https: ["is not an https address", imageHint],
  not_base64: ["is not base64", "Leave out data: and line breaks, or give { base64 }."],
  empty: ["is empty"],
  not_an_image: ["is %, not an image", "Give a JPEG, PNG, WebP, AVIF, HEIC or GIF."],
  not_allowed: ["is not %"],
  unknown_field: ["is not a field of a try-on%", "Send fields of a newer service in extra."],
  // The service may take it.
  unknown_image: ["begins like no known kind of image"],
  ignored: ["has no effect beside %"],
} as const satisfies Readonly<Record<string, readonly [problem: string, hint?: string]>>;

/**
 * The kinds of issues.
 *
 * @useDeclaredType
 */
export type InputIssueCode = keyof typeof problems;

/** Something that is wrong with an input, or looks so. */
export interface InputIssue extends FieldIssue {
  /** The kind of issue, for programs. */
  readonly code: InputIssueCode;
  /** An error is refused before anything is sent; a warning goes to the `logger`. */
  readonly severity: "error" | "warning";
  /** What to do about it. */
  readonly hint?: string;
}

/** Adds an issue to those that were found. */
export type Note = (code: InputIssueCode, field: string, found?: unknown, bound?: number) => void;

const codes = Object.keys(problems);

/** A way to add issues to a list. */
export function notesTo(issues: InputIssue[]): Note {
  return (code, field, found, bound) => {
    const [problem, hint]: readonly [string, string?] = problems[code];
    issues.push({
      field,
      message: `${field} ${problem.replace("%", String(found)).replace("#", String(bound))}.`,
      code,
      severity: codes.indexOf(code) < codes.indexOf("unknown_image") ? "error" : "warning",
      ...(bound && { bound }),
      ...(hint && { hint }),
    });
  };
}

/** Whether there is nothing that could be sent. */
export function isImpossible({ code }: InputIssue): boolean {
  return codes.indexOf(code) < codes.indexOf("missing");
}
