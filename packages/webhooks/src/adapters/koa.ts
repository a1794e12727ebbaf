import type { ReceiverOptions } from "../receiver/options.ts";
import { createDeliveryHandler } from "../receiver/delivery-handler.ts";
import { closing } from "./node-receiver.ts";
import type { IncomingRequest } from "./node-receiver.ts";

/** A context of Koa, as far as it is used here. */
export interface KoaContext {
  readonly req: IncomingRequest;
  status: number;
  body: unknown;
  /** Sets headers of the answer. */
  set(headers: Record<string, string>): unknown;
}

const fix =
  'Koa: a body parser stands ahead of the receiver. Put these in this order: `const receive = createReceiver(options);` `app.use((ctx, next) => (ctx.path === "/webhooks/tryon" ? receive(ctx) : next()));` `app.use(bodyParser());`';

/**
 * Makes a middleware for Koa that receives the events of the service; it is the last one on its way
 * and calls no other. It does what `createReceiver` of `@tryon/webhooks` does, and throws nothing.
 *
 * It has to stand ahead of every body parser, since the signature is over the bytes that those take.
 *
 * @throws `WebhookError` `invalid_secret` for secrets that are missing or blank, `TypeError` or
 * `RangeError` for an option that cannot be.
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
  const receive = createDeliveryHandler(options, fix);
  return async (context) => {
    const { method, headers } = context.req;
    const answer = closing(context.req, await receive({ method, headers, body: context.req }));
    context.body = answer.body;
    context.set({ ...answer.headers });
    // Last, since a body that is set changes it.
    context.status = answer.status;
  };
}
