import type { ReceiverOptions } from "../receiver/options.ts";
import { expressFix, nestExpressFix } from "../receiver/raw-body-fixes.ts";
import { createNodeReceiver } from "./node-receiver.ts";
import type { IncomingRequest, NodeReceiver, OutgoingResponse } from "./node-receiver.ts";

export type { IncomingRequest, NodeReceiver, OutgoingResponse };

/**
 * Creates a handler for Express 4 or 5 that receives the events of the service, like
 * `createReceiver` of `@tryon/webhooks`. It sends every response itself and never calls `next`.
 *
 * Put it before `express.json()`, because the signature covers the bytes that the parser consumes.
 * `express.raw({ type: "*\/*" })` may come first.
 *
 * @throws `WebhookError` `invalid_secret`, `TypeError`, like `createReceiver` of `@tryon/webhooks`.
 * @example
 * import express from "express";
 * import { createReceiver } from "@tryon/webhooks/express";
 *
 * const app = express();
 * app.post(
 *   "/webhooks/tryon",
 *   createReceiver({
 *     secrets: process.env.TRYON_WEBHOOK_SECRET,
 *     onCompleted: (event) => save(event.job_id, event.result_url),
 *   }),
 * );
 * app.use(express.json());
 */
export function createReceiver(options: ReceiverOptions): NodeReceiver {
  return createNodeReceiver(options, [nestExpressFix, expressFix]);
}
