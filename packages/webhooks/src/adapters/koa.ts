import { createDeliveryHandler, withEvents } from "../receiver/delivery-handler.ts";
import type { ReceiverOptions } from "../receiver/options.ts";
import { koaFix } from "../receiver/raw-body-fixes.ts";
import { closeIfUnread, type IncomingRequest } from "./node-receiver.ts";

/** Fields of a Koa context that the middleware uses. */
export interface KoaContext {
  readonly req: IncomingRequest;
  status: number;
  body: unknown;
  /** Sets headers of the response. */
  set(headers: Record<string, string>): unknown;
}

/**
 * Creates a middleware for Koa that receives the events of the service, like `createReceiver` of
 * `@tryon/webhooks`. It calls no next middleware and never throws.
 *
 * Put it before every body parser, because the signature covers the bytes that a parser consumes.
 *
 * @throws `WebhookError` `invalid_secret`, `TypeError`, like `createReceiver` of `@tryon/webhooks`.
 * @example
 * import Koa from "koa";
 * import { createReceiver } from "@tryon/webhooks/koa";
 *
 * const app = new Koa();
 * const receive = createReceiver({
 *   secrets: process.env.TRYON_WEBHOOK_SECRET,
 *   onCompleted: (event) => save(event.job_id, event.result_url),
 * });
 * app.use((ctx, next) => (ctx.path === "/webhooks/tryon" ? receive(ctx) : next()));
 */
export function createReceiver(options: ReceiverOptions): (context: KoaContext) => Promise<void> {
  const receive = createDeliveryHandler(options, [koaFix]);
  return withEvents(receive, async (context: KoaContext) => {
    const { method, headers } = context.req;
    const delivery = { method, headers, body: context.req };
    const response = closeIfUnread(context.req, await receive(delivery));
    context.body = response.body;
    context.set({ ...response.headers });
    // Koa changes the status when the body is set.
    context.status = response.status;
  });
}
