import Hapi from "@hapi/hapi";
import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/node";
import { authorize, onCompleted, secrets } from "./shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
const proxy = toNodeHandler(createProxy({ authorize }));
const unread = { output: "stream", parse: false, maxBytes: 30_000_000 };
const server = Hapi.server({ port: process.env.PORT });
const route = (method, path, handle, options) =>
  server.route({
    method,
    path,
    options,
    handler: ({ raw }, h) => {
      void handle(raw.req, raw.res);
      return h.abandon;
    },
  });
route("POST", "/webhooks/tryon", receiver, { payload: unread });
route("POST", "/api/tryon/{rest*}", proxy, { payload: unread });
route("GET", "/api/tryon/{rest*}", proxy);
await server.start();
