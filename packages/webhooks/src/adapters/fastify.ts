import { createDeliveryHandler, withEvents } from "../receiver/delivery-handler.ts";
import type { ReceiverOptions } from "../receiver/options.ts";
import { fastifyFix } from "../receiver/raw-body-fixes.ts";
import type { NodeRequest } from "../verification/body.ts";
import type { LambdaEvent } from "./lambda.ts";
import { closeIfUnread } from "./node-receiver.ts";

/** Fields of a Fastify request that the plugin uses. */
export interface FastifyRequest {
  readonly method: string;
  readonly headers: NodeRequest["headers"];
  readonly body: unknown;
  readonly raw: object;
  /** Event of `@fastify/aws-lambda`. */
  readonly awsLambda?: { readonly event?: LambdaEvent | undefined } | undefined;
}

/** Methods of a Fastify reply that the plugin uses. */
export interface FastifyReply {
  /** Sets the status. */
  code(status: number): unknown;
  /** Sets headers. */
  headers(headers: Record<string, string>): unknown;
  /** Sends the response. */
  send(body?: string): unknown;
}

/** Methods of a Fastify instance, or a scope in one, that the plugin uses. */
export interface FastifyScope {
  /** Removes every body parser of this scope. */
  removeAllContentTypeParsers(): unknown;
  /** Adds a body parser to this scope. */
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
    options: { config: { rawBody: false } },
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): unknown;
}

const register = '`app.register(createReceiver(options), { prefix: "/webhooks/tryon" });`';

/**
 * Creates a plugin for Fastify 5 that receives the events of the service at its prefix, like
 * `createReceiver` of `@tryon/webhooks`.
 *
 * It is a plugin, because the signature covers the raw bytes: the plugin removes the body parsers
 * from its own scope and leaves those of the app unchanged. `maxBodyBytes` limits the body, not
 * `bodyLimit`.
 *
 * @throws `WebhookError` `invalid_secret`, `TypeError`, like `createReceiver` of `@tryon/webhooks`.
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
  const receive = createDeliveryHandler(options, [fastifyFix]);
  return withEvents(receive, async (scope: FastifyScope) => {
    // A route passes a request with a parsed body instead.
    if (typeof scope.removeAllContentTypeParsers !== "function") {
      throw new TypeError(
        `createReceiver returns a plugin, but it was used as a handler. Write ${register}`,
      );
    }
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    // fastify-raw-body reads the bodies of all routes without this.
    scope.all("/", { config: { rawBody: false } }, async (request, reply) => {
      const { method } = request;
      // Without `albMultiValueHeaders`, @fastify/aws-lambda leaves out the headers of a load balancer that have one value.
      const headers = request.awsLambda?.event?.multiValueHeaders ?? request.headers;
      // The parser above passes on the unread stream. A request without a body has none.
      const body = (request.body ?? "") as NodeRequest | string;
      const response = closeIfUnread(request.raw, await receive({ method, headers, body }));
      reply.code(response.status);
      reply.headers({ ...response.headers });
      return reply.send(response.body ?? undefined);
    });
  });
}
