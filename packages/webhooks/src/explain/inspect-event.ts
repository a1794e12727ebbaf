import { textOrNull } from "../verification/event.ts";
import type { CauseFinding } from "./cause.ts";
import type { Delivery } from "./delivery.ts";
import { decodeUtf8, readJson } from "./encodings.ts";
import { contradictingHeaders } from "./inspect-headers.ts";

const units = [
  ["days", 86_400_000],
  ["hours", 3_600_000],
  ["minutes", 60_000],
  ["seconds", 1_000],
] as const;

/** What is wrong with a body whose signature was right. */
export function inspectEvent(delivery: Delivery): readonly CauseFinding[] {
  const text = decodeUtf8(delivery.bytes ?? new Uint8Array());
  if (text === undefined) return [{ cause: "json_not_utf8" }];
  const value = readJson(text.replace(/^\uFEFF/, ""));
  if (value === undefined) {
    return [{ cause: "json_syntax", detail: text === "" ? "the body is empty" : undefined }];
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return [{ cause: "event_not_object" }];
  }
  const event: Readonly<Record<string, unknown>> = { ...value };
  const fields = wrongFields(event);
  if (fields.length > 0) return fields;
  const contradicting = contradictingHeaders(delivery, event);
  return contradicting.length > 0 ? contradicting : [age(delivery, event)];
}

function wrongFields(event: Readonly<Record<string, unknown>>): readonly CauseFinding[] {
  const { event: kind, job_id, status } = event;
  // Of a kind that is not known, nothing more is asked.
  const known = kind === "tryon.completed";
  const right = {
    event: isText(kind),
    job_id: !known || isText(job_id),
    status: !known || status === "succeeded" || status === "failed",
  };
  return Object.entries(right)
    .filter(([, isRight]) => !isRight)
    .map(([field]) => {
      const found = field in event ? kindOf(event[field]) : "missing";
      return { cause: "event_field", detail: `${field}: ${found}` };
    });
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === "") return "empty";
  if (Array.isArray(value)) return "an array";
  return typeof value === "string" ? "another word than it may have" : `a ${typeof value}`;
}

function age({ now, maxAge }: Delivery, event: Readonly<Record<string, unknown>>): CauseFinding {
  const text = String(textOrNull(event["completed_at"]));
  const time = Date.parse(/(?:z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
  if (Number.isNaN(time)) return { cause: "time_missing" };
  if (Number.isNaN(maxAge)) return { cause: "time_too_old", detail: "maxAge is not a number" };
  return { cause: "time_too_old", detail: `about ${roughly(now() - time)} ago` };
}

function roughly(milliseconds: number): string {
  const [unit, length] = units.find(([, each]) => milliseconds >= each) ?? ["milliseconds", 1];
  return `${Math.round(milliseconds / length)} ${unit}`;
}
