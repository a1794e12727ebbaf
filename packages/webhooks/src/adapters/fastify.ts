import type { ReceiverOptions } from "../receiver/options.ts";
import { createDeliveryHandler } from "../receiver/delivery-handler.ts";
import type { NodeRequest } from "../verification/body.ts";
import { closing } from "./node-receiver.ts";

/** A request of Fastify, as far as it is used here. */
export interface FastifyRequest {
  readonly method: string;
  readonly headers: NodeRequest["headers"];
  readonly body: unknown;
  readonly raw: object;
}

/** A reply of Fastify, as far as it is used here. */
export interface FastifyReply {
  /** Sets the status of the answer. */
  code(status: number): unknown;
  /** Sets headers of the answer. */
  headers(headers: Record<string, string>): unknown;
  /** Sends the answer. */
  send(body?: string): unknown;
}

/** An instance of Fastify, or a scope within one, as far as it is used here. */
export interface FastifyScope {
  /** Takes every parser of bodies off this scope. */
  removeAllContentTypeParsers(): unknown;
  /** Says how bodies are read in this scope. */
  addContentTypeParser(
    contentType: string,
    parser: (
      request: unknown,
      payload: NodeRequest,
      done: (error: null, body: unknown) => void,
    ) => void,
  ): unknown;
  /** Adds a route for every method. */
  all(
    path: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): unknown;
}

const register = '`app.register(createReceiver(options), { prefix: "/webhooks/tryon" });`';
const fix = `Fastify: a hook or a middleware of the app reads bodies before the routes do. Give it a scope of its own, beside that of the receiver: ${register} and \`app.register(async (scope) => { scope.addHook("preParsing", hook); });\` with the routes that need it inside.`;

/**
 * Makes a plugin for Fastify 5 that receives the events of the service, at the prefix that it is
 * registered with. It does what `createReceiver` of `@tryon/webhooks` does.
 *
 * It is a plugin and not a handler, since the signature is over bytes: in a scope of its own it puts
 * the parsers of the app aside, which go on everywhere else. The bound is `maxBodyBytes` here, and
 * not `bodyLimit`.
 *
 * @throws `WebhookError` `invalid_secret` for secrets that are missing or blank, `TypeError` or
 * `RangeError` for an option that cannot be.
 * @example
 * import Fastify from "fastify";
 * import { createReceiver } from "@tryon/webhooks/fastify";
 *
 * const app = Fastify();
 * app.register(
 *   createReceiver({
 *     secrets: process.env.TRYON_WEBHOOK_SECRET,
 *     onCompleted: (event) => save(event.job_id, event.result_url),
 *   }),
 *   { prefix: "/webhooks/tryon" },
 * );
 */
export function createReceiver(options: ReceiverOptions): (scope: FastifyScope) => Promise<void> {
  const receive = createDeliveryHandler(options, fix);
  return async (scope) => {
    // A route hands over a request instead: its body is parsed by then.
    if (typeof scope.removeAllContentTypeParsers !== "function") {
      throw new TypeError(
        `createReceiver gives a plugin, and was used as a handler. Write ${register}`,
      );
    }
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    scope.all("/", async (request, reply) => {
      const { method, headers } = request;
      // What the parser above has handed on: the stream, unread. There is none without a body.
      const body = (request.body ?? "") as NodeRequest | string;
      const answer = closing(request.raw, await receive({ method, headers, body }));
      reply.code(answer.status);
      reply.headers({ ...answer.headers });
      return reply.send(answer.body ?? undefined);
    });
  };
}
