import type { ReceiverOptions } from "../receiver/options.ts";
import { createFetchReceiver } from "../receiver/receiver.ts";
import type { Receiver } from "../receiver/receiver.ts";
import { createNodeReceiver } from "./node-receiver.ts";
import type { IncomingRequest, NodeReceiver, OutgoingResponse } from "./node-receiver.ts";

export type { IncomingRequest, NodeReceiver, OutgoingResponse, Receiver };

const routeFix =
  "Next.js: the route handler has read the request. Export the receiver itself: `export const POST = createReceiver(options);`, or give it the request before anything reads it, or its `request.clone()` after.";
const pagesFix =
  "Next.js: `pages/api` parses bodies unless it is told not to. Add this to the file of the route: `export const config = { api: { bodyParser: false } };`";

/**
 * Makes the `POST` of a route handler of Next.js, in `app/…/route.ts`, that receives the events of
 * the service. It does what `createReceiver` of `@tryon/webhooks` does; for work behind the answer,
 * `background` takes the `after` of Next.
 *
 * @throws `WebhookError` `invalid_secret` for secrets that are missing or blank, `TypeError` or
 * `RangeError` for an option that cannot be. `next build` loads the route: where the secret is not
 * set then, pass a function for it.
 * @example
 * import { createReceiver } from "@tryon/webhooks/next";
 *
 * export const POST = createReceiver({
 *   secrets: () => process.env.TRYON_WEBHOOK_SECRET,
 *   onCompleted: (event) => save(event.job_id, event.result_url),
 * });
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  return createFetchReceiver(options, routeFix);
}

/**
 * The same for an API route in `pages/api`. The parser that Next puts ahead of those has to be
 * turned off, as in the example, since the signature is over the bytes that it takes.
 *
 * @throws `WebhookError` `invalid_secret`, `TypeError` or `RangeError`, as {@link createReceiver}.
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
  return createNodeReceiver(options, pagesFix);
}
