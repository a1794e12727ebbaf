import { http } from "@google-cloud/functions-framework";
import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/node";
import { authorize, onCompleted, secrets } from "./shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
const proxy = toNodeHandler(createProxy({ authorize }));
http("shop", (request, response) =>
  request.path === "/webhooks/tryon" ? receiver(request, response) : proxy(request, response),
);
