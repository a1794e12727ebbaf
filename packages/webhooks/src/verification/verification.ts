import { parseEvent, textOrNull } from "./event.ts";
import type { TryOnEvent } from "./event.ts";
import { headerValues } from "./header-values.ts";
import type { HeaderSource } from "./header-values.ts";
import { matchingSecret, parseSignature } from "./signature.ts";
import { WebhookError } from "../webhook-error.ts";

/** A verified event, the bytes that were signed, and the position of the secret that fits. */
export interface Verified<Bytes extends Uint8Array = Uint8Array> {
  readonly bytes: Bytes;
  readonly event: TryOnEvent;
  readonly secretIndex: number;
}

/**
 * All of a verification that is the same for every crypto back end, in two halves. This one reads
 * the headers, at once, before a body is read for a delivery without a signature; the one that it
 * gives takes the bytes and their digests under each secret, and verifies before it parses.
 */
export function beginVerification(source: HeaderSource, maxAge: number, now: () => number) {
  // Stryker disable next-line Regex: a wider pattern only costs time, because names are compared in full.
  const valuesOf = headerValues(source, /^x-service-/i);
  const signature = parseSignature(valuesOf("x-service-signature"));
  return <Bytes extends Uint8Array>(
    bytes: Bytes,
    digests: ReadonlyArray<Uint8Array | undefined>,
  ): Verified<Bytes> => {
    const secretIndex = matchingSecret(signature, digests);
    const event = parseEvent(bytes);
    checkHeader("X-Service-Event", valuesOf("x-service-event"), event.event);
    checkHeader("X-Service-Job-Id", valuesOf("x-service-job-id"), event.job_id);
    checkAge(event, maxAge, now);
    return { event, secretIndex, bytes };
  };
}

/**
 * Refuses a header that says other than the signed body. It is not signed itself: where it is
 * absent nothing is amiss, where it differs something on the way has changed it.
 */
function checkHeader(name: string, values: readonly unknown[], signed: string | null): void {
  if (signed === null || values.every((value) => value === signed)) return;
  throw new WebhookError(
    "header_mismatch",
    `${name} contradicts the signed body. Look for a proxy that changes headers.`,
  );
}

/** Written so that an age that is not known, or a limit that is not a number, lets nothing through. */
function checkAge(event: TryOnEvent, maxAge: number, now: () => number): void {
  if (maxAge === Infinity) return;
  const { completed_at }: { completed_at?: unknown } = "data" in event ? event.data : event;
  // Stryker disable next-line StringLiteral: no other text that is not a time passes either.
  const text = textOrNull(completed_at) ?? "";
  // Times of the service are UTC, also where one comes without its zone.
  const time = Date.parse(/(z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
  if (now() - time <= maxAge) return;
  throw new WebhookError(
    "stale_event",
    "The signed `completed_at` is missing or older than maxAge. Check the clock.",
  );
}
