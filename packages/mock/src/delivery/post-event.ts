import { abortable } from "../abortable.ts";
import type { DeliveryAttempt, DeliveryRecord } from "../store/records.ts";
import { eventHeaders } from "./event.ts";

/** Sends a webhook once and returns the outcome. It never throws. */
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
    const response = await abortable(send(request), signal);
    // Only the status counts. Canceling fails if the body was read.
    response.body?.cancel().catch(() => undefined);
    // A browser hides the status and the target of a redirect.
    const redirected = response.type === "opaqueredirect";
    return redirected
      ? {
          status: null,
          error: "The receiver redirects; the service does not follow redirects of webhooks.",
        }
      : { status: response.status, error: null };
  } catch (error) {
    return { status: null, error: error instanceof Error ? error.message : String(error) };
  }
}
