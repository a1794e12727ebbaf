import { createNodeReceiver } from "../adapters/node-receiver.ts";
import type { NodeReceiver } from "../adapters/node-receiver.ts";
import type { ReceiverOptions } from "../receiver/options.ts";

const fix =
  "node:http: give it the request before anything reads it: `createServer(createReceiver(options))`. Where something has to read it first, have it keep the bytes: `request.rawBody = bytes;`";

/**
 * Makes a listener for `http.createServer` that receives the events of the service; for paths of
 * its own, call it with the request and the response. It does what `createReceiver` of
 * `@tryon/webhooks` does, answers by itself, and never rejects. Where it answers before the body has
 * arrived, as to one that is too large, it has the connection closed.
 *
 * @throws `WebhookError` `invalid_secret` for secrets that are missing or blank, `TypeError` or
 * `RangeError` for an option that cannot be.
 * @example
 * import { createServer } from "node:http";
 * import { createReceiver } from "@tryon/webhooks/node";
 *
 * const receive = createReceiver({
 *   secrets: process.env.TRYON_WEBHOOK_SECRET,
 *   onCompleted: (event) => save(event.job_id, event.result_url),
 * });
 * createServer((request, response) => {
 *   if (request.url === "/webhooks/tryon") void receive(request, response);
 *   else response.writeHead(404).end();
 * }).listen(3000);
 */
export function createReceiver(options: ReceiverOptions): NodeReceiver {
  return createNodeReceiver(options, fix);
}
