import type { ReceiverOptions } from "../receiver/options.ts";
import { honoFix } from "../receiver/raw-body-fixes.ts";
import { createFetchReceiver } from "../receiver/receiver.ts";

/** Field of a Hono context that the handler uses. */
export interface HonoContext {
  readonly req: { readonly raw: Request };
}

/**
 * Creates a handler for Hono, on any runtime, that receives the events of the service, like
 * `createReceiver` of `@tryon/webhooks`. It never throws.
 *
 * Put it before everything that reads bodies, including validators, because the signature covers
 * the raw bytes.
 *
 * @throws `WebhookError` `invalid_secret`, `TypeError`, like `createReceiver` of `@tryon/webhooks`.
 * @example
 * import { Hono } from "hono";
 * import { createReceiver } from "@tryon/webhooks/hono";
 *
 * const app = new Hono();
 * app.post(
 *   "/webhooks/tryon",
 *   createReceiver({
 *     secrets: () => process.env.TRYON_WEBHOOK_SECRET,
 *     onCompleted: (event) => save(event.job_id, event.result_url),
 *   }),
 * );
 */
export function createReceiver(
  options: ReceiverOptions,
): (context: HonoContext) => Promise<Response> {
  const receive = createFetchReceiver(options, [honoFix]);
  // With its property for `reconcile`.
  return Object.assign(({ req: { raw } }: HonoContext) => receive(raw), receive);
}
