import type { DeliveryAttempt, DeliveryRecord } from "../store/records.ts";
import { eventHeaders } from "./event.ts";

/** Sends the request of a delivery once, and says what came of it; it does not throw. */
export async function postEvent(
  delivery: DeliveryRecord,
  send: (request: Request) => Promise<Response>,
  signal: AbortSignal,
): Promise<Pick<DeliveryAttempt, "status" | "error">> {
  try {
    const request = new Request(delivery.url, {
      method: "POST",
      redirect: "manual",
      signal,
      headers: eventHeaders(delivery.jobId, delivery.signature),
      body: delivery.body,
    });
    const response = await whicheverComes(send(request), signal);
    // The status is all that counts; a body that somebody reads or has read cannot be cancelled.
    response.body?.cancel().catch(() => undefined);
    // A browser hides where a redirect leads and what status it had.
    const redirected = response.type === "opaqueredirect";
    return redirected
      ? { status: null, error: "The receiver redirects; a webhook is not sent on." }
      : { status: response.status, error: null };
  } catch (error) {
    return { status: null, error: error instanceof Error ? error.message : String(error) };
  }
}

/** The answer, or the abort; a sender that does not listen to the signal cannot hold the delivery up. */
async function whicheverComes(answer: Promise<Response>, signal: AbortSignal): Promise<Response> {
  let listener: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    listener = () => reject(signal.reason as Error);
    signal.addEventListener("abort", listener);
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    if (listener !== undefined) signal.removeEventListener("abort", listener);
  }
}
