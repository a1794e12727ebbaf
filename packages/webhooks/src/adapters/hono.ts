import type { ReceiverOptions } from "../receiver/options.ts";
import { createFetchReceiver } from "../receiver/receiver.ts";

/** A context of Hono, as far as it is used here. */
export interface HonoContext {
  readonly req: { readonly raw: Request };
}

const fix =
  'Hono: a middleware or a validator has read the body. Put the receiver ahead of it: `app.post("/webhooks/tryon", createReceiver(options));` and only then `app.use(middleware);`';

/**
 * Makes a handler for Hono, on any runtime, that receives the events of the service. It does what
 * `createReceiver` of `@tryon/webhooks` does, and throws nothing.
 *
 * It has to stand ahead of whatever reads bodies, a validator too, since the signature is over bytes.
 *
 * @throws `WebhookError` `invalid_secret` for secrets that are missing or blank, `TypeError` or
 * `RangeError` for an option that cannot be.
 * @example
 * import { Hono } from "hono";
 * import { createReceiver } from "@tryon/webhooks/hono";
 *
 * const app = new Hono();
 * app.post(
 *   "/webhooks/tryon",
 *   createReceiver({
 *     secrets: process.env.TRYON_WEBHOOK_SECRET,
 *     onCompleted: (event) => save(event.job_id, event.result_url),
 *   }),
 * );
 */
export function createReceiver(
  options: ReceiverOptions,
): (context: HonoContext) => Promise<Response> {
  const receive = createFetchReceiver(options, fix);
  return ({ req: { raw } }) => receive(raw);
}
