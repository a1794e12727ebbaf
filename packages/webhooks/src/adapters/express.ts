import type { ReceiverOptions } from "../receiver/options.ts";
import { createNodeReceiver } from "./node-receiver.ts";
import type { IncomingRequest, NodeReceiver, OutgoingResponse } from "./node-receiver.ts";

export type { IncomingRequest, NodeReceiver, OutgoingResponse };

const fix =
  'Express: put the receiver ahead of the parsers: `app.post("/webhooks/tryon", createReceiver(options));` and only then `app.use(express.json());`. Where the parser has to come first, have it keep the bytes: `app.use(express.json({ verify: (req, res, bytes) => Object.assign(req, { rawBody: bytes }) }));`';

/**
 * Makes a handler for Express, 4 or 5, that receives the events of the service. It does what
 * `createReceiver` of `@tryon/webhooks` does, and answers by itself: no error reaches `next`.
 *
 * It has to stand ahead of `express.json()`, since the signature is over the bytes that the parser
 * takes; `express.raw({ type: "*\/*" })` ahead of it is fine.
 *
 * @throws `WebhookError` `invalid_secret` for secrets that are missing or blank, `TypeError` or
 * `RangeError` for an option that cannot be.
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
  return createNodeReceiver(options, fix);
}
