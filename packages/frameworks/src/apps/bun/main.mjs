import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks";
import { authorize, onCompleted, secrets } from "./shop.mjs";

Bun.serve({
  port: process.env.PORT,
  routes: {
    "/webhooks/tryon": { POST: createReceiver({ secrets, onCompleted }) },
    "/api/tryon/*": createProxy({ authorize }),
  },
});
