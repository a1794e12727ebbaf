import type { FieldIssue } from "../errors/tryon-error.ts";
import type { Redact } from "./redact.ts";

const mostIssues = 20;
/** Where a field was, which is not part of its name. */
const places = new Set(["body", "query", "path", "header"]);

/**
 * The problems that a 422 lists, without `input`, which can be a whole image; undefined when the body lists none.
 */
export function readIssues(json: unknown, redact: Redact): readonly FieldIssue[] | undefined {
  const { detail } = Object(json) as { detail?: unknown };
  if (!Array.isArray(detail)) return undefined;
  const list: readonly unknown[] = detail;
  return list.slice(0, mostIssues).map((entry) => readIssue(entry, redact));
}

function readIssue(entry: unknown, redact: Redact): FieldIssue {
  const { loc, msg, type }: { loc?: unknown; msg?: unknown; type?: unknown } = Object(entry);
  const path: readonly unknown[] = Array.isArray(loc) ? loc : [];
  const names = path.filter((part) => typeof part === "string" || typeof part === "number");
  const inside = places.has(String(names[0])) ? names.slice(1) : names;
  const field = redact((inside.length === 0 ? names : inside).join("."));
  const message = typeof msg === "string" ? redact(msg) : "is not valid";
  return typeof type === "string" ? { field, message, type: redact(type) } : { field, message };
}
