import type { ReceiverOptions } from "../receiver/options.ts";
import { nextPagesFix, nextRouteFix } from "../receiver/raw-body-fixes.ts";
import { createFetchReceiver } from "../receiver/receiver.ts";
import type { Receiver } from "../receiver/receiver.ts";
import { createNodeReceiver } from "./node-receiver.ts";
import type { IncomingRequest, NodeReceiver, OutgoingResponse } from "./node-receiver.ts";

export type { IncomingRequest, NodeReceiver, OutgoingResponse, Receiver };

/**
 * Creates the `POST` of a Next.js route handler, in `app/…/route.ts`, that receives the events of
 * the service, like `createReceiver` of `@tryon/webhooks`. To work after the response, pass `after`
 * of Next.js as `background`.
 *
 * @throws `WebhookError` `invalid_secret` for missing or blank secrets, `TypeError`
 * for an invalid option. `next build` loads the route: if the secret is not set there, pass a
 * function.
 * @example
 * import { createReceiver } from "@tryon/webhooks/next";
 *
 * export const POST = createReceiver({
 *   secrets: () => process.env.TRYON_WEBHOOK_SECRET,
 *   onCompleted: (event) => save(event.job_id, event.result_url),
 * });
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  return createFetchReceiver(options, [nextRouteFix]);
}

/**
 * Creates the same for an API route in `pages/api`. Turn off the body parser of Next.js, as in the
 * example, because the signature covers the bytes that it consumes.
 *
 * @throws `WebhookError` `invalid_secret`, `TypeError`, like {@link createReceiver}.
 * @example
 * import { createPagesReceiver } from "@tryon/webhooks/next";
 *
 * export const config = { api: { bodyParser: false } };
 * export default createPagesReceiver({
 *   secrets: () => process.env.TRYON_WEBHOOK_SECRET,
 *   onCompleted: (event) => save(event.job_id, event.result_url),
 * });
 */
export function createPagesReceiver(options: ReceiverOptions): NodeReceiver {
  return createNodeReceiver(options, [nextPagesFix]);
}
