import { readDuration } from "@tryon/shared/duration";
import { OptionsError, rejectUnknown } from "@tryon/shared/options";
import { serviceTime } from "@tryon/shared/service-time";

import { parseEvent, textOrNull, type TryOnEvent } from "./event.ts";
import { headerPairs, valuesOf } from "./header-values.ts";
import { matchingSecret, parseSignature } from "./signature.ts";
import { WebhookError } from "../webhook-error.ts";

export interface Verified<Bytes extends Uint8Array = Uint8Array> {
  readonly bytes: Bytes;
  readonly event: TryOnEvent;
  readonly secretIndex: number;
}

const optionNames = "body headers secrets maxBodyBytes maxAge now".split(" ");

/**
 * Checks the names of the options, then parses the signature header, so that the body of a delivery without a signature is never read.
 * Returns a function that takes the bytes and their digest for each secret, verifies the signature
 * and then parses the event. All crypto back ends share both steps.
 */
export function beginVerification(
  delivery: Parameters<typeof headerPairs>[0] & {
    readonly maxAge?: number | string | undefined;
    readonly now?: (() => number) | undefined;
  },
) {
  rejectUnknown("an option of verify", delivery, optionNames);
  const { now = Date.now } = delivery;
  const maxAge = readDuration(delivery.maxAge ?? Infinity);
  if (!(maxAge >= 0)) {
    const problem = 'must be a number of milliseconds from 0 up, or a string such as "30s"';
    throw new OptionsError("maxAge", `${problem}; got ${String(delivery.maxAge)}`);
  }
  // Stryker disable next-line Regex: a wider pattern only costs time, because names are compared in full.
  const headers = headerPairs(delivery, /^x-service-/i);
  const signature = parseSignature(valuesOf(headers, "x-service-signature"));
  return <Bytes extends Uint8Array>(
    bytes: Bytes,
    digests: ReadonlyArray<Uint8Array | undefined>,
  ): Verified<Bytes> => {
    const secretIndex = matchingSecret(signature, digests);
    const event = parseEvent(bytes);
    checkHeader("X-Service-Event", valuesOf(headers, "x-service-event"), event.event);
    checkHeader("X-Service-Job-Id", valuesOf(headers, "x-service-job-id"), event.job_id);
    checkAge(event, maxAge, now);
    return { event, secretIndex, bytes };
  };
}

/** Rejects an unsigned header that contradicts the signed body. It may be absent. */
function checkHeader(name: string, values: readonly unknown[], signed: string | null): void {
  if (signed === null || values.every((value) => value === signed)) return;
  throw new WebhookError(
    "header_mismatch",
    `${name} contradicts the signed body. Check for a proxy that changes headers.`,
  );
}

function checkAge(event: TryOnEvent, maxAge: number, now: () => number): void {
  if (maxAge === Infinity) return;
  const { completed_at }: { completed_at?: unknown } = "data" in event ? event.data : event;
  if (now() - serviceTime(textOrNull(completed_at)) <= maxAge) return;
  throw new WebhookError(
    "stale_event",
    "The signed `completed_at` is missing or older than maxAge. Check the clock.",
  );
}
