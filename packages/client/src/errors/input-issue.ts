import type { FieldIssue } from "./tryon-error.ts";

const imageHint = "Use an https URL, a Blob (fs.openAsBlob in Node), bytes or { base64 }.";

const prepareHint = "Use prepareImage.";
const colorHint = "Use prepareImage, or convert it to sRGB first.";

/** Problem and hint of each code. % is the value and # the limit. */
const problems = {
  // The client cannot send the input.
  wrong_kind: ["is not an image%", imageHint],
  not_an_object: ["is not an object with person and garments"],
  not_a_list: ["is not a list", "Put it in a list."],
  not_json: ["cannot be written as JSON", "Remove bigints and circular references."],
  twice: ["replaces %, which is also set"],
  unreadable: ["could not be read%", "Open it again if it was changed, removed or read before."],
  too_large: ["has % bytes, and the limit is #", "Scale it down, or send it as an https URL."],
  // The service rejects the input.
  missing: ["is missing", imageHint],
  count: ["has % images, and a try-on takes 1 to #"],
  too_long: ["has % characters, and the limit is #"],
  too_many: ["has % keys, and the limit is #"],
  not_https: ["is not an https URL%", imageHint],
  not_base64: ["is not base64", "Remove data: and line breaks, or use { base64 }."],
  empty: ["is empty"],
  not_an_image: ["is %, not an image", "Use a JPEG, PNG, WebP, AVIF, HEIC or GIF."],
  truncated: ["is incomplete%", "Read or upload it again."],
  not_allowed: ["is not %"],
  unknown_field: ["is not a field of a try-on%", "Send new fields in extra."],
  // The service may accept the input.
  unknown_image: ["is not in a known image format"],
  low_resolution: ["has % pixels, and fewer than # on a side", "Use a larger image."],
  high_resolution: ["has % pixels, and the limit may be #", prepareHint],
  cmyk: ["has CMYK colors", colorHint],
  wide_gamut: ["has wide-gamut colors, which may change", colorHint],
  hdr: ["has HDR colors, which may change", colorHint],
  animated: ["is animated", prepareHint],
  heic_or_avif: ["is %, which the service may not read", prepareHint],
  uncommon_format: ["is %, which the service may not read", "Convert it to JPEG or PNG."],
  rotated: ["has EXIF orientation %, which the service may ignore", prepareHint],
  ignored: ["has no effect with %"],
  long_json: ["has % characters as JSON, and the limit may be #"],
} as const satisfies Readonly<Record<string, readonly [problem: string, hint?: string]>>;

/**
 * Code of a problem with an input.
 *
 * @useDeclaredType
 */
export type InputIssueCode = keyof typeof problems;

/** Problem of an input, or a likely one. */
export interface InputIssue extends FieldIssue {
  /** Kind of the problem, for programs. */
  readonly code: InputIssueCode;
  /** An error is rejected before anything is sent. A warning goes to the `logger`. */
  readonly severity: "error" | "warning";
  /** Next step. */
  readonly hint?: string;
}

/** Problem as data, of which `inputIssue` makes the text. */
export type Finding = Parameters<typeof inputIssue>;

export type Note = (...finding: Finding) => void;

const codes = /* @__PURE__ */ Object.keys(problems);

export function inputIssue(
  code: InputIssueCode,
  field: string,
  value: unknown = "",
  bound?: number,
): InputIssue {
  const [problem, hint]: readonly [string, string?] = problems[code];
  return {
    field,
    message: `${field} ${problem.replace("%", String(value)).replace("#", `${bound}`)}.`,
    code,
    severity: codes.indexOf(code) < codes.indexOf("unknown_image") ? "error" : "warning",
    ...(bound && { bound }),
    // A webhook URL is the only URL that is not an image.
    ...(hint && field !== "webhook_url" && { hint }),
  };
}

/** Returns true if the client cannot send the input, even without validation. */
export function isImpossible({ code }: InputIssue): boolean {
  return codes.indexOf(code) < codes.indexOf("missing");
}
