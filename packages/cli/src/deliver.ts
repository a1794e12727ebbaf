import { setTimeout as sleep } from "node:timers/promises";

import { InvalidArgumentError, text } from "@tryon/cli-kit";
import { mayReceiveKeys } from "@tryon/shared/key-url";
import { notRecognized, pageResponded, responderOf } from "@tryon/shared/receiver-mark";
import { signedRequest, type EventFields } from "@tryon/webhooks";

/** Delays between the attempts of the service to deliver an event, in milliseconds (Events). */
const retryDelays = [1_000, 4_000, 16_000];
/** Time that a receiver has to respond, in milliseconds (Events). */
const responseTimeout = 10_000;

/** Parses the URL of a receiver: on this machine, also without `http://`, or with https. Refuses a user or password. */
export function receiverUrl(value: string): URL {
  const given = /^[a-z]+:\/\//i.test(text(value)) ? value : `http://${value}`;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url && `${url.username}${url.password}` === "" && mayReceiveKeys(url)) return url;
  throw new InvalidArgumentError(
    "It must be a URL with https, or of this machine, without user and password, such as http://localhost:3000/hook.",
  );
}

/**
 * Signs an event and sends it until the receiver responds with 2xx, as the service does. Follows no redirect. A page that
 * responds with 2xx ends the delivery without success.
 *
 * @param isRetried - If true, it is sent up to four times, after 1, 4 and 16 s.
 */
export async function deliver(
  event: Partial<EventFields>,
  target: { readonly url: URL; readonly secret: string },
  isRetried: boolean,
  signal: AbortSignal,
) {
  let attempts = 0;
  for (;;) {
    const request = await signedRequest(event, target);
    attempts += 1;
    const { ok, isLost = false, outcome } = await send(request, signal);
    const delay = isRetried && !ok && !isLost ? retryDelays[attempts - 1] : undefined;
    if (delay === undefined) return { ok, outcome, attempts };
    await sleep(delay, undefined, { signal });
  }
}

async function send(request: Request, signal: AbortSignal) {
  const timeout = AbortSignal.timeout(responseTimeout);
  const start = performance.now();
  try {
    const response = await fetch(request, {
      redirect: "manual",
      signal: AbortSignal.any([signal, timeout]),
    });
    const { status, ok, body } = response;
    await body?.cancel();
    const outcome = `${status} after ${Math.round(performance.now() - start)} ms`;
    const responder = ok ? responderOf(response) : "receiver";
    if (responder === "page")
      return { ok: false, isLost: true, outcome: `${outcome}: ${pageResponded}` };
    return { ok, outcome: responder === "other" ? `${outcome} (${notRecognized})` : outcome };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return { ok: false, outcome: "no response within 10 s" };
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return { ok: false, outcome: String(Reflect.get(Object(cause), "code") ?? "no connection") };
  }
}
