import type { FetchRequest } from "../verification/body.ts";
import { createDeliveryHandler, withEvents } from "./delivery-handler.ts";
import type { ReceiverOptions } from "./options.ts";
import { elysiaFix, h3Fix, requestFix, type Framework } from "./raw-body-fixes.ts";

/** Fetch handler that receives events. */
export type Receiver = (request: FetchRequest) => Promise<Response>;

/**
 * Creates a fetch handler that receives the events of the service, for every runtime with `Request`
 * and `Response`: Next.js, Workers, Bun, Deno, Hono and others. Frameworks on Node have adapters,
 * e.g. `@tryon/webhooks/express`.
 *
 * It verifies each delivery before it parses anything, and handles each event once: never
 * concurrently, never again after success, and again after a failure while the service retries. It
 * responds with 204 if the event was handled now or before, 400 or 413 if it is not an event of the
 * service, 405 if the method is not POST, 500 if the handler failed or the receiver is configured
 * incorrectly, and 503 while another delivery of the event is being handled.
 *
 * @throws {@link WebhookError} `invalid_secret` for missing or blank secrets. A function is called
 * at each delivery, and then the response is 500. `TypeError` for an invalid option.
 * @example
 * import { createReceiver } from "@tryon/webhooks";
 *
 * export const POST = createReceiver({
 *   secrets: () => [process.env.TRYON_WEBHOOK_SECRET, process.env.TRYON_WEBHOOK_SECRET_OLD],
 *   async onCompleted(event) {
 *     if (event.status === "succeeded") await save(event.job_id, event.result_url);
 *     else await saveFailure(event.job_id, event.error_code);
 *   },
 * });
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  return createFetchReceiver(options, [elysiaFix, h3Fix, requestFix]);
}

export function createFetchReceiver(
  options: ReceiverOptions,
  fixes: readonly Framework[],
): Receiver {
  const receive = createDeliveryHandler(options, fixes);
  const receiver: Receiver = async (request) => {
    const { method, headers } = request;
    const { body, ...init } = await receive({ method, headers, body: request });
    return new Response(body, init);
  };
  return withEvents(receive, receiver);
}
