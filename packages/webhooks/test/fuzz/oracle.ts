import { isUtf8 } from "node:buffer";

import type { EventFields, UnknownEvent } from "../../src/verification/event.ts";
import type { VerifyOutcome } from "../../src/verification/verify.ts";
import { signatureOf } from "../explained.ts";

/** Content of a delivery and of the options, independent of their form. */
export interface DeliveryContent {
  /** Values of the three headers, without `null` and `undefined`. */
  readonly signatures: readonly unknown[];
  readonly kinds: readonly unknown[];
  readonly jobIds: readonly unknown[];
  /** List of secrets, or `undefined` if the source has none. */
  readonly secrets: readonly unknown[] | undefined;
  readonly bytes: Buffer | undefined;
  readonly maxBodyBytes: number;
  readonly maxAge: number;
  readonly now: number;
}

type Refused = Extract<VerifyOutcome, { readonly ok: false }>;
type Event = UnknownEvent | EventFields;

/** Expected outcome: a code, or the event and the index of its secret. */
export type Expected =
  | { readonly code: Exclude<Refused["code"], "duplicate_event"> }
  | { readonly code: "ok"; readonly event: Event; readonly secretIndex: number };

/**
 * Computes the outcome of a verification in other ways than the package: the grammar by character,
 * the HMAC as text by node:crypto, and UTF-8 by node:buffer.
 */
export function expectedOutcome(delivery: DeliveryContent): Expected {
  const { signatures, secrets, bytes } = delivery;
  const [signature] = signatures;
  if (signatures.length === 0) return { code: "missing_signature" };
  if (signatures.length > 1 || (typeof signature === "string" && signature.includes(","))) {
    return { code: "multiple_signatures" };
  }
  if (typeof signature !== "string" || !isWellFormed(signature)) {
    return { code: "malformed_signature" };
  }
  if (
    secrets === undefined ||
    !secrets.every(isUsable) ||
    secrets.every((one) => one === undefined)
  ) {
    return { code: "invalid_secret" };
  }
  if (bytes === undefined) return { code: "raw_body_required" };
  if (!(bytes.length <= delivery.maxBodyBytes)) return { code: "body_too_large" };
  const lower = signature.toLowerCase();
  const secretIndex = secrets.findIndex(
    (secret) => typeof secret === "string" && signatureOf(bytes, secret.trim()) === lower,
  );
  if (secretIndex === -1) return { code: "signature_mismatch" };
  const event = parseEvent(bytes);
  if (typeof event === "string") return { code: event };
  if (differs(delivery.kinds, event.event) || differs(delivery.jobIds, event.job_id)) {
    return { code: "header_mismatch" };
  }
  if (delivery.maxAge !== Infinity) {
    const { completed_at } = event.status === null ? event.data : event;
    const age = delivery.now - timeOf(typeof completed_at === "string" ? completed_at : null);
    if (!(age <= delivery.maxAge)) return { code: "stale_event" };
  }
  return { code: "ok", event, secretIndex };
}

/** Returns true for the prefix and 64 hexadecimal digits. */
function isWellFormed(value: string): boolean {
  if (value.length !== 71 || value.slice(0, 7) !== "sha256=") return false;
  return Array.from(value.slice(7)).every((digit) => "0123456789abcdefABCDEF".includes(digit));
}

function isUsable(secret: unknown): boolean {
  if (typeof secret !== "string") return secret === undefined;
  const text = secret.trim();
  const isQuoted = text.length > 1 && text.at(0) === text.at(-1) && "\"'`".includes(text.charAt(0));
  return !["", "undefined", "null"].includes(text) && !isQuoted && !/[\s\p{Cc}]/u.test(text);
}

function differs(values: readonly unknown[], signed: string | null): boolean {
  return signed !== null && values.some((value) => value !== signed);
}

function timeOf(time: string | null): number {
  if (time === null) return Number.NaN;
  const zoned = ["Z", "z"].includes(time.slice(-1)) || /[-+][0-9]{2}:?[0-9]{2}$/.test(time);
  return new Date(zoned ? time : `${time}Z`).getTime();
}

function parseEvent(bytes: Buffer): Event | "invalid_json" | "invalid_event" {
  if (!isUtf8(bytes)) return "invalid_json";
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString().replace(/^\ufeff/, ""));
  } catch {
    return "invalid_json";
  }
  if (typeof parsed !== "object" || parsed === null) return "invalid_event";
  const data = new Map<string, unknown>(Object.entries(parsed));
  const text = (name: string): string | null => {
    const value = data.get(name);
    return typeof value === "string" ? value : null;
  };
  const event = text("event");
  const job_id = text("job_id");
  const status = text("status");
  if (event === null || event === "") return "invalid_event";
  if (event !== "tryon.completed") {
    return { event, job_id, status: null, data: Object.fromEntries(data) };
  }
  if (job_id === null || job_id === "") return "invalid_event";
  if (status !== "succeeded" && status !== "failed") return "invalid_event";
  const duration = data.get("duration_ms");
  return {
    event,
    job_id,
    status,
    result_url: status === "failed" ? null : text("result_url"),
    error_code: text("error_code"),
    error_message: text("error_message"),
    duration_ms: typeof duration === "number" && Math.abs(duration) !== Infinity ? duration : null,
    completed_at: text("completed_at"),
  };
}
