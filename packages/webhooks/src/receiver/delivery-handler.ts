import { headerValues } from "../verification/header-values.ts";
import { usableSecrets } from "../verification/secrets.ts";
import { formatSignature } from "../verification/signature.ts";
import type { Verified } from "../verification/verification.ts";
import { check, defaultMaxBodyBytes } from "../verification/verify.ts";
import type { VerifyOptions } from "../verification/verify.ts";
import { isWebhookError, WebhookError } from "../webhook-error.ts";
import type { WebhookErrorCode } from "../webhook-error.ts";
import { Claim } from "./claim.ts";
import { systemClock } from "./clock.ts";
import { createErrorLog } from "./log.ts";
import { createMemoryStore } from "./memory-store.ts";
import { checkHandlers, claimTimes } from "./options.ts";
import type { ReceiverOptions } from "./options.ts";

/** Request of any framework. */
export interface Delivery {
  readonly method: string | undefined;
  readonly headers: VerifyOptions["headers"];
  readonly body: VerifyOptions["body"];
}

/** Response for any framework. */
export interface ReceiverResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON with `code` and `message`, or `null` after success. */
  readonly body: string | null;
}

type VerifiedDelivery = Verified<Uint8Array<ArrayBuffer>>;
type RejectionCode = WebhookErrorCode | "method_not_allowed" | "handler_failed";

const statuses: Partial<Record<RejectionCode, number>> = {
  method_not_allowed: 405,
  body_too_large: 413,
  // The receiver has to be fixed. The service retries, so the event may still be handled.
  raw_body_required: 500,
  invalid_secret: 500,
  handler_failed: 500,
  duplicate_event: 503,
};

/** Maximum number of events that were handled while the store was unreachable. */
const maxUnrecorded = 1_000;

const failed = "The event was not handled. Send it again.";
const busy = "Another delivery of this event is being handled. Send it again later.";

/**
 * Creates the receiver of every adapter. It verifies a delivery, claims and handles its event and
 * returns the response. It never rejects.
 *
 * @param rawBodyFix the lines to change in one framework if the body was parsed.
 */
export function createDeliveryHandler(
  options: ReceiverOptions,
  rawBodyFix?: string,
): (delivery: Delivery) => Promise<ReceiverResponse> {
  const { secrets, onCompleted, onUnknown, background = false, clock = systemClock } = options;
  const { maxBodyBytes = defaultMaxBodyBytes, maxAge } = options;
  const { store = createMemoryStore({ clock }), onError = createErrorLog(clock) } = options;
  checkHandlers(options);
  const times = claimTimes(options);
  if (typeof secrets !== "function") usableSecrets(secrets);

  /** Keys of handled events that the store has not recorded. Their handlers must not run again. */
  const unrecorded = new Set<string>();
  const addUnrecorded = (key: string): void => {
    unrecorded.add(key);
    const [oldest] = unrecorded;
    if (unrecorded.size > maxUnrecorded && oldest !== undefined) unrecorded.delete(oldest);
  };

  const report = async (error: unknown, status: number): Promise<void> => {
    try {
      await onError(error, status);
    } catch {
      // An error of the callback must not change the response.
    }
  };
  const reject = (code: RejectionCode, error: Error, message = error.message): ReceiverResponse => {
    const status = isAborted(code, error) ? 400 : (statuses[code] ?? 400);
    void report(error, status);
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (code === "method_not_allowed") headers["allow"] = "POST";
    return { status, headers, body: JSON.stringify({ code, message }) };
  };
  // Errors of a handler or a store are for the log, not for the sender.
  const fail = (error: unknown): ReceiverResponse =>
    reject("handler_failed", asError(error), failed);

  const verifyDelivery = async ({ headers, body }: Delivery): Promise<VerifiedDelivery> => {
    const [length] = headerValues({ headers, body }, /^content-length$/i)("content-length");
    const declared = Number(length);
    if (declared > maxBodyBytes) {
      throw new WebhookError(
        "body_too_large",
        `The content-length ${declared} exceeds maxBodyBytes, ${maxBodyBytes}. Reject the request, or raise the limit.`,
      );
    }
    // Both forms of the options have a body and headers.
    const delivery = { body, headers, secrets, maxBodyBytes, maxAge, now: () => clock.now() };
    return check(delivery as VerifyOptions);
  };

  /** Handles a claimed event and records it in the store, or releases the claim. */
  const handleClaimed = async (
    { event, secretIndex }: VerifiedDelivery,
    claim: Claim,
  ): Promise<void> => {
    if (!unrecorded.has(claim.key)) {
      const context = { signal: claim.signal, secretIndex };
      try {
        await (event.status === null ? onUnknown?.(event, context) : onCompleted(event, context));
      } catch (error) {
        await claim.release().catch((failure: unknown) => void report(failure, 500));
        throw error;
      }
    }
    addUnrecorded(claim.key);
    await claim.done();
    unrecorded.delete(claim.key);
  };

  const claimAndHandle = async (
    delivery: VerifiedDelivery,
    arrivedAt: number,
  ): Promise<ReceiverResponse> => {
    const claim = new Claim(store, clock, times, await keyOf(delivery), arrivedAt);
    const state = await claim.take();
    if (state === "done") return accept(204);
    if (state === "open") {
      return reject("duplicate_event", new WebhookError("duplicate_event", busy));
    }
    const work = handleClaimed(delivery, claim);
    if (background === false) {
      await work;
      return accept(204);
    }
    const reported = work.catch((error: unknown) => report(error, 202));
    if (typeof background === "function") background(reported);
    return accept(202);
  };

  return async (delivery) => {
    const arrivedAt = clock.now();
    if (delivery.method !== "POST") {
      return reject("method_not_allowed", new Error("The method must be POST."));
    }
    let verified: VerifiedDelivery;
    try {
      verified = await verifyDelivery(delivery);
    } catch (error) {
      if (!isWebhookError(error)) return fail(error);
      return reject(error.code, withFix(error, rawBodyFix));
    }
    if (verified.event.status === null && onUnknown === undefined) return accept(204);
    return claimAndHandle(verified, arrivedAt).catch(fail);
  };
}

function accept(status: 202 | 204): ReceiverResponse {
  return { status, headers: {}, body: null };
}

/** Returns the key of an event in the store. It is unique across all kinds of events. */
async function keyOf({ event, bytes }: VerifiedDelivery): Promise<string> {
  const kind = event.event.replaceAll("%", "%25").replaceAll(":", "%3A");
  if (event.status !== null) return `${kind}:${event.job_id}`;
  // A job may have several events of an unknown kind. Only the same body is the same event.
  const digest = await globalThis.crypto.subtle.digest("SHA-256", bytes);
  return `${kind}:${formatSignature(new Uint8Array(digest))}`;
}

/** Replaces the fixes for all frameworks with the fix for this one. */
function withFix(error: WebhookError, fix: string | undefined): WebhookError {
  const { code, cause } = error;
  if (code !== "raw_body_required") return error;
  if (isAborted(code, error)) {
    return new WebhookError(code, "The sender closed the connection before the end of the body.", {
      cause,
    });
  }
  if (fix === undefined) return error;
  const message = `The body is not bytes: it was parsed, read before or incomplete. ${fix}`;
  return new WebhookError(code, message, { cause });
}

/** Returns true if the sender closed the connection, so that the receiver needs no fix. */
function isAborted(code: RejectionCode, { cause }: Error): boolean {
  if (code !== "raw_body_required") return false;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNRESET";
}

function asError(value: unknown): Error {
  if (value instanceof Error) return value;
  return new Error("A value that is not an Error was thrown. See the cause.", { cause: value });
}
