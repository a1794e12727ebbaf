import { headerValues } from "../verification/header-values.ts";
import { usableSecrets } from "../verification/secrets.ts";
import { formatSignature } from "../verification/signature.ts";
import { check, defaultMaxBodyBytes } from "../verification/verify.ts";
import type { VerifyOptions } from "../verification/verify.ts";
import { isWebhookError, WebhookError } from "../webhook-error.ts";
import { accepted, rejected } from "./response.ts";
import type { ReceiverResponse, RejectionCode } from "./response.ts";
import { Claim } from "./claim.ts";
import { systemClock } from "./clock.ts";
import { createMemoryStore } from "./memory-store.ts";
import { createErrorLog } from "./log.ts";
import { checkHandlers, timesOf } from "./options.ts";
import type { ReceiverOptions } from "./options.ts";

/** A delivery, in no framework's words. */
export interface Delivery {
  readonly method: string | undefined;
  readonly headers: VerifyOptions["headers"];
  readonly body: VerifyOptions["body"];
}

type VerifiedDelivery = Awaited<ReturnType<typeof check>>;

/**
 * The receiver beneath every adapter: verifies a delivery, claims its event, handles it, and says
 * what to answer. What it gives never rejects.
 *
 * @param rawBodyFix the lines to change, in the words of one framework, where the body was parsed.
 */
export function createDeliveryHandler(
  options: ReceiverOptions,
  rawBodyFix?: string,
): (delivery: Delivery) => Promise<ReceiverResponse> {
  const { secrets, onCompleted, onUnknown, background = false, clock = systemClock } = options;
  const { maxBodyBytes = defaultMaxBodyBytes, maxAge } = options;
  const { store = createMemoryStore({ clock }), onError = createErrorLog(clock) } = options;
  checkHandlers(options);
  const times = timesOf(options);
  if (typeof secrets !== "function") usableSecrets(secrets);

  /** Handled, though the store could not be told: when one comes again, that is all that is left. */
  const untold = new Set<string>();
  const toBeTold = (key: string): void => {
    untold.add(key);
    const [oldest] = untold;
    if (untold.size > mostUntold && oldest !== undefined) untold.delete(oldest);
  };

  const tell = async (error: unknown, status: number): Promise<void> => {
    try {
      await onError(error, status);
    } catch {
      // What the callback throws changes nothing for the sender.
    }
  };
  const refuse = (code: RejectionCode, error: Error, message = error.message): ReceiverResponse => {
    const answer = hasHungUp(code, error) ? rejected(code, message, 400) : rejected(code, message);
    void tell(error, answer.status);
    return answer;
  };

  const verified = async ({ headers, body }: Delivery): Promise<VerifiedDelivery> => {
    const [length] = headerValues({ headers, body }, /^content-length$/i)("content-length");
    const declared = Number(length);
    if (declared > maxBodyBytes) throw tooLarge(declared, maxBodyBytes);
    // Whichever of the two forms the options have, they hold both a body and headers.
    const delivery = { body, headers, secrets, maxBodyBytes, maxAge, now: () => clock.now() };
    return check(delivery as VerifyOptions);
  };

  /** Handles what was claimed and has the store remember it, or gives the claim up. */
  const settle = async ({ event, secretIndex }: VerifiedDelivery, claim: Claim): Promise<void> => {
    if (!untold.has(claim.key)) {
      const context = { signal: claim.signal, secretIndex };
      try {
        await (event.status === null ? onUnknown?.(event, context) : onCompleted(event, context));
      } catch (error) {
        await claim.release().catch((failure: unknown) => void tell(failure, 500));
        throw error;
      }
    }
    toBeTold(claim.key);
    await claim.done();
    untold.delete(claim.key);
  };

  const settleClaimed = async (
    delivery: VerifiedDelivery,
    arrivedAt: number,
  ): Promise<ReceiverResponse> => {
    const claim = new Claim(store, clock, times, await keyOf(delivery), arrivedAt);
    const state = await claim.take();
    if (state === "done") return accepted(204);
    if (state === "open")
      return refuse("duplicate_event", new WebhookError("duplicate_event", busy));
    const work = settle(delivery, claim);
    if (background === false) {
      await work;
      return accepted(204);
    }
    const contained = work.catch((error: unknown) => tell(error, 202));
    if (typeof background === "function") background(contained);
    return accepted(202);
  };

  return async (delivery) => {
    const arrivedAt = clock.now();
    if (delivery.method !== "POST") {
      return refuse("method_not_allowed", new Error("Events are sent by POST, and this was not."));
    }
    let found: VerifiedDelivery;
    try {
      found = await verified(delivery);
    } catch (error) {
      if (isWebhookError(error)) return refuse(error.code, withFix(error, rawBodyFix));
      return refuse("handler_failed", asError(error), failed);
    }
    if (found.event.status === null && onUnknown === undefined) return accepted(204);
    try {
      return await settleClaimed(found, arrivedAt);
    } catch (error) {
      // What a handler or a store says is for the log and not for the sender.
      return refuse("handler_failed", asError(error), failed);
    }
  };
}

/** Key of an event in the store. No two events share one, whatever their kinds are called. */
async function keyOf({ event, bytes }: VerifiedDelivery): Promise<string> {
  const kind = event.event.replaceAll("%", "%25").replaceAll(":", "%3A");
  if (event.status !== null) return `${kind}:${event.job_id}`;
  // A job may have several events of an unknown kind: only the same body is the same event.
  const digest = await globalThis.crypto.subtle.digest("SHA-256", bytes);
  return `${kind}:${formatSignature(new Uint8Array(digest))}`;
}

/** How many events are kept at most that a store did not hear of, while it cannot be reached. */
const mostUntold = 1_000;

const failed = "The event was not handled. Send it again.";
const busy = "Another delivery of this event is being handled. Send it again later.";

function tooLarge(declared: number, bound: number): WebhookError {
  return new WebhookError(
    "body_too_large",
    `The body is said to be ${declared} bytes long, more than maxBodyBytes, ${bound}. Refuse it, or raise the bound.`,
  );
}

/** The same error with what fits the case in place of the lines to change in all frameworks. */
function withFix(error: WebhookError, fix: string | undefined): WebhookError {
  const { code, cause } = error;
  if (code !== "raw_body_required") return error;
  if (hasHungUp(code, error))
    return new WebhookError(code, "The sender hung up within its body.", { cause });
  if (fix === undefined) return error;
  const message = `The body is not bytes: it was parsed, read before or broke off. ${fix}`;
  return new WebhookError(code, message, { cause });
}

/** Whether the connection ended in the middle of the body: then nothing is to mend here. */
function hasHungUp(code: RejectionCode, { cause }: Error): boolean {
  if (code !== "raw_body_required") return false;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNRESET";
}

function asError(value: unknown): Error {
  return value instanceof Error
    ? value
    : new Error("What was thrown is no error.", { cause: value });
}
