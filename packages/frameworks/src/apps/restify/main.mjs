import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/node";
import restify from "restify";
import { authorize, onCompleted, secrets } from "./shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
const proxy = toNodeHandler(createProxy({ authorize }));
const server = restify.createServer();
server.pre((request, response, next) => {
  if (request.path() === "/webhooks/tryon") void receiver(request, response);
  else if (request.path().startsWith("/api/tryon/")) proxy(request, response);
  else next();
});
server.use(restify.plugins.bodyParser());
server.listen(process.env.PORT);
