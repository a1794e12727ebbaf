import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/node";
import { onRequest } from "firebase-functions/https";
import { authorize, onCompleted, secrets } from "./shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
const proxy = toNodeHandler(createProxy({ authorize }));
export const shop = onRequest((request, response) =>
  request.path === "/webhooks/tryon" ? receiver(request, response) : proxy(request, response),
);
