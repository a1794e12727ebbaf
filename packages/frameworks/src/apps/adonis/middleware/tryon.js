import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/node";
import { authorize, onCompleted, secrets } from "../shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
const proxy = toNodeHandler(createProxy({ authorize }));

export default class TryOnMiddleware {
  handle({ request, response }, next) {
    const path = request.url();
    const isProxy = path.startsWith("/api/tryon/");
    if (!isProxy && path !== "/webhooks/tryon") return next();
    const handle = isProxy ? proxy : receiver;
    const ended = new Promise((resolve) => response.response.once("close", resolve));
    void handle(request.request, response.response);
    return ended;
  }
}
