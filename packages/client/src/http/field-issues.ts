import type { FieldIssue } from "../errors/tryon-error.ts";
import type { Redact } from "../errors/redact.ts";

const maxIssues = 20;

/** Returns the problems that a 422 lists, or undefined if it lists none. Leaves `input` out, which can be a whole image. */
export function readFieldIssues(
  detail: unknown,
  redact: Redact,
): readonly FieldIssue[] | undefined {
  if (!Array.isArray(detail) || detail.length === 0) return undefined;
  return detail.slice(0, maxIssues).map((entry: unknown) => {
    const { loc, msg, type }: { loc?: unknown; msg?: unknown; type?: unknown } = Object(entry);
    const path: readonly unknown[] = Array.isArray(loc) ? loc : [];
    const names = path.filter((part) => typeof part !== "object");
    // The part of the request is not part of the name.
    if (names.length > 1 && /^(body|query|path|header)$/.test(String(names[0]))) names.shift();
    const kind = redact(type);
    return {
      field: redact(names.join(".")),
      message: redact(msg) || "is not valid",
      ...(kind && { type: kind }),
    };
  });
}
