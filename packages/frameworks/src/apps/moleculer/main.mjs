import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/node";
import { ServiceBroker } from "moleculer";
import ApiService from "moleculer-web";
import { authorize, onCompleted, secrets } from "./shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
const proxy = toNodeHandler(createProxy({ authorize }));
const unread = { bodyParsers: false };
const broker = new ServiceBroker({ logger: false });
broker.createService({
  mixins: [ApiService],
  settings: {
    port: process.env.PORT,
    routes: [
      { path: "/webhooks/tryon", ...unread, aliases: { "POST /": receiver } },
      {
        path: "/api/tryon",
        ...unread,
        use: [
          (request, response) =>
            proxy(Object.assign(request, { url: request.originalUrl }), response),
        ],
        aliases: {},
      },
    ],
  },
});
await broker.start();
