import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/fastify";
import Fastify from "fastify";
import { authorize, onCompleted, secrets } from "./shop.mjs";

const proxy = toNodeHandler(createProxy({ authorize }));
const app = Fastify();
await app.register(createReceiver({ secrets, onCompleted }), { prefix: "/webhooks/tryon" });
await app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
  scope.all("/api/tryon/*", (request, reply) => {
    reply.hijack();
    proxy(request.raw, reply.raw);
  });
});
await app.listen({ port: Number(process.env.PORT) });
