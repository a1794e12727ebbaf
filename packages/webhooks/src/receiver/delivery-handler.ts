import { receiverMark } from "@tryon/shared/receiver-mark";

import type { TryOnCompletedEvent } from "../verification/event.ts";
import { wasRead } from "../verification/body.ts";
import { headerPairs } from "../verification/header-values.ts";
import { usableSecrets } from "../verification/secrets.ts";
import { formatSignature } from "../verification/signature.ts";
import type { Verified } from "../verification/verification.ts";
import { check, defaultMaxBodyBytes, type VerifyOptions } from "../verification/verify.ts";
import { isWebhookError, WebhookError, type WebhookErrorCode } from "../webhook-error.ts";
import { createClaim } from "./claim.ts";
import { createErrorLog } from "./log.ts";
import { claimSettings, type ReceiverOptions } from "./options.ts";
import { describeFix, type Framework } from "./raw-body-fixes.ts";

interface Delivery {
  readonly method: string | undefined;
  readonly headers: VerifyOptions["headers"];
  readonly body: VerifyOptions["body"];
}

export interface ReceiverResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON with `code` and `message`, or `null` after success. */
  readonly body: string | null;
}

export interface DeliveryHandler {
  (delivery: Delivery): Promise<ReceiverResponse>;
  readonly events: EventHandler;
}

/** Handles events of ended jobs that were not delivered, as if they had been. */
export interface EventHandler {
  /** `isNew` is true if the event was handled now, and not before. */
  readonly handle: (
    event: TryOnCompletedEvent,
  ) => Promise<ReceiverResponse & { readonly isNew: boolean }>;
  /** Time for which a handled event is remembered, in milliseconds; 0 if a restart forgets it. */
  readonly memory: number;
  readonly now: () => number;
}

/** Property of a receiver with its {@link EventHandler}, for other copies of this module. */
export const eventHandler: unique symbol = Symbol.for("@tryon/webhooks.events");

/** Adds the event handler to the receiver of a framework, where `reconcile` finds it. */
export function withEvents<Receiver extends object>(
  { events }: DeliveryHandler,
  receiver: Receiver,
): Receiver {
  return Object.assign(receiver, { [eventHandler]: events });
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

const mark = { [receiverMark]: "1" };
const maxUnrecorded = 1_000;

const failed = "The event was not handled. Send it again.";
const notBytes = "The body is not bytes: it was parsed, read before or incomplete.";
const connectionClosed = "The sender closed the connection before the end of the body.";
const busy = "Another delivery of this event is being handled. Send it again later.";

/**
 * Creates the receiver of every adapter. It verifies a delivery, claims and handles its event and
 * returns the response. It never rejects.
 *
 * @param fixes What to change in each framework that the app may have, the most likely last.
 */
export function createDeliveryHandler(
  options: ReceiverOptions,
  fixes: readonly Framework[],
): DeliveryHandler {
  const { secrets, onCompleted, onUnknown } = options;
  const { maxBodyBytes = defaultMaxBodyBytes, maxAge } = options;
  const settings = claimSettings(options);
  const { clock } = settings;
  const { onError = createErrorLog(clock) } = options;
  if (typeof secrets !== "function") usableSecrets(secrets);

  /** Keys of handled events that the store has not recorded. Their handlers must not run again. */
  const unrecorded = new Set<string>();

  const report = async (error: unknown, status: number): Promise<void> => {
    try {
      await onError(toError(error), status);
    } catch {
      // An error of the callback must not change the response.
    }
  };
  const reject = (
    code: RejectionCode,
    error: unknown,
    message: string,
    status = statuses[code] ?? 400,
  ): ReceiverResponse => {
    void report(error, status);
    const headers: Record<string, string> = { ...mark, "content-type": "application/json" };
    if (code === "method_not_allowed") headers["allow"] = "POST";
    return { status, headers, body: JSON.stringify({ code, message }) };
  };
  // Errors of a handler or a store are for the log, not for the sender.
  const fail = (error: unknown): ReceiverResponse => reject("handler_failed", error, failed);

  const rejectInvalid = (error: WebhookError, body: unknown, fix?: string): ReceiverResponse => {
    const { code, cause } = error;
    if (code !== "raw_body_required") return reject(code, error, error.message);
    // After a closed connection, the receiver needs no fix.
    const closed = cause instanceof Error && "code" in cause && cause.code === "ECONNRESET";
    const message = closed ? connectionClosed : `${notBytes} ${fix ?? describeFix(fixes, body)}`;
    return reject(code, new WebhookError(code, message, { cause }), message, closed ? 400 : 500);
  };

  const verifyDelivery = async ({ headers, body }: Delivery): Promise<VerifiedDelivery> => {
    const [[, length] = []] = headerPairs({ headers, body }, /^content-length$/i);
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

  const claimAndHandle = async (
    verified: VerifiedDelivery,
    arrivedAt: number,
    background: ReceiverOptions["background"] = false,
    onHandled?: () => void,
  ): Promise<ReceiverResponse> => {
    const { event, secretIndex } = verified;
    const key = await keyOf(verified);
    const claim = createClaim(settings, key, arrivedAt);
    const state = await claim.take();
    if (state === "done") return accept(204);
    if (state === "open") {
      return reject("duplicate_event", new WebhookError("duplicate_event", busy), busy);
    }
    const handle = async (): Promise<void> => {
      if (!unrecorded.has(key)) {
        const context = { signal: claim.signal, secretIndex };
        try {
          await (event.status === null ? onUnknown?.(event, context) : onCompleted(event, context));
        } catch (error) {
          await claim.release().catch((failure: unknown) => void report(failure, 500));
          throw error;
        }
        onHandled?.();
      }
      unrecorded.add(key);
      const [oldest = key] = unrecorded;
      if (unrecorded.size > maxUnrecorded) unrecorded.delete(oldest);
      await claim.done();
      unrecorded.delete(key);
    };
    const work = handle();
    if (background === false) {
      await work;
      return accept(204);
    }
    const reported = work.catch((error: unknown) => report(error, 202));
    if (typeof background === "function") background(reported);
    return accept(202);
  };

  const receive = async (delivery: Delivery): Promise<ReceiverResponse> => {
    const arrivedAt = clock.monotonic();
    // Before the first `await`, which ends the call stack of the app.
    const { body } = delivery;
    const fix = wasRead(body) ? describeFix(fixes, body) : undefined;
    if (delivery.method !== "POST") {
      const error = new Error("The method must be POST.");
      return reject("method_not_allowed", error, error.message);
    }
    try {
      const verified = await verifyDelivery(delivery);
      if (verified.event.status === null && onUnknown === undefined) return accept(204);
      return await claimAndHandle(verified, arrivedAt, options.background).catch(fail);
    } catch (error) {
      return isWebhookError(error) ? rejectInvalid(error, body, fix) : fail(error);
    }
  };
  const events: EventHandler = {
    async handle(event) {
      let isNew = false;
      // The key of this event needs no bytes. No service waits, and the caller needs the outcome.
      const verified = { event, bytes: new Uint8Array(), secretIndex: -1 };
      const response = await claimAndHandle(verified, clock.monotonic(), false, () => {
        isNew = true;
      }).catch(fail);
      return { ...response, isNew };
    },
    memory: options.store === undefined ? 0 : settings.dedupeTtl,
    now: () => clock.now(),
  };
  return Object.assign(receive, { events });
}

/** Returns a thrown value if it is an error, also of another realm. Otherwise it is the cause. */
function toError(thrown: unknown): Error {
  const isError = Object.prototype.toString.call(thrown) === "[object Error]";
  if (thrown instanceof Error || isError) return thrown as Error;
  const message = typeof thrown === "string" ? thrown : "The thrown value is not an error.";
  return new Error(message, { cause: thrown });
}

function accept(status: 202 | 204): ReceiverResponse {
  return { status, headers: mark, body: null };
}

/** Returns the key of an event in the store. It is unique across all kinds of events. */
async function keyOf({ event, bytes }: VerifiedDelivery): Promise<string> {
  const kind = event.event.replaceAll("%", "%25").replaceAll(":", "%3A");
  if (event.status !== null) return `${kind}:${event.job_id}`;
  // A job may have several events of an unknown kind. Only the same body is the same event.
  const digest = await globalThis.crypto.subtle.digest("SHA-256", bytes);
  return `${kind}:${formatSignature(new Uint8Array(digest))}`;
}
