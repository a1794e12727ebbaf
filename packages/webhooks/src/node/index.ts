import { createNodeReceiver, type NodeReceiver } from "../adapters/node-receiver.ts";
import type { ReceiverOptions } from "../receiver/options.ts";
import {
  adonisFix,
  hapiFix,
  nestExpressFix,
  nestFastifyFix,
  nodeFix,
} from "../receiver/raw-body-fixes.ts";

export { safeVerifySync, verifySync } from "./verify-sync.ts";
export type { BufferedRequest, SyncSecretSource, VerifySyncOptions } from "./verify-sync.ts";
export type { IncomingRequest, NodeReceiver, OutgoingResponse } from "../adapters/node-receiver.ts";

const fixes = [nestExpressFix, nestFastifyFix, hapiFix, adonisFix, nodeFix];

/**
 * Creates a listener for `http.createServer` that receives the events of the service, like
 * `createReceiver` of `@tryon/webhooks`. To serve other paths too, call it with the request and the
 * response. It sends every response itself and never rejects. If it responds before the whole body
 * has arrived, e.g. to a body that is too large, it closes the connection.
 *
 * @throws `WebhookError` `invalid_secret`, `TypeError`, like `createReceiver` of `@tryon/webhooks`.
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
  return createNodeReceiver(options, fixes);
}
