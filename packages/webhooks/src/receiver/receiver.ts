import { toResponse } from "./response.ts";
import type { ReceiverOptions } from "./options.ts";
import { createDeliveryHandler } from "./delivery-handler.ts";

/** A fetch handler that receives events. */
export type Receiver = (request: Request) => Promise<Response>;

/**
 * Makes a fetch handler that receives the events of the service, for every runtime that has
 * `Request` and `Response`: Next.js, Workers, Bun, Deno, Hono and others. Frameworks on Node have
 * adapters that give what they take, e.g. `@tryon/webhooks/express`.
 *
 * Each delivery is verified before anything is parsed, and each event is handled once: never twice
 * at a time, not again once its handler has come to its end, and again after a failure for as long
 * as the service tries. It answers 204 for handled and for handled before, 400 or 413 for what is
 * not an event of the service, 405 for another method than POST, 500 when the handler failed or the
 * receiver is not set up right, and 503 while another delivery of the event is being handled.
 *
 * @throws {@link WebhookError} `invalid_secret` for secrets that are missing or blank; a function is
 * asked at each delivery instead, and then it is an answer of 500. `TypeError` or `RangeError` for
 * an option that cannot be, which it names.
 * @example
 * import { createReceiver } from "@tryon/webhooks";
 *
 * export const POST = createReceiver({
 *   secrets: () => [process.env.TRYON_WEBHOOK_SECRET, process.env.TRYON_WEBHOOK_SECRET_OLD],
 *   async onCompleted(event) {
 *     if (event.status === "succeeded") await save(event.job_id, event.result_url);
 *     else await giveUp(event.job_id, event.error_code);
 *   },
 * });
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  return createFetchReceiver(options);
}

/** The same, with the lines to change in one framework where a body was parsed. */
export function createFetchReceiver(options: ReceiverOptions, rawBodyFix?: string): Receiver {
  const receive = createDeliveryHandler(options, rawBodyFix);
  return async (request) =>
    toResponse(await receive({ method: request.method, headers: request.headers, body: request }));
}
