import { app } from "@azure/functions";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks";
import { authorize, onCompleted, secrets } from "./shop.mjs";

export const webhook = {
  route: "webhooks/tryon",
  methods: ["POST"],
  authLevel: "anonymous",
  handler: createReceiver({ secrets, onCompleted }),
};
export const proxy = {
  route: "api/tryon/{*path}",
  methods: ["GET", "POST"],
  authLevel: "anonymous",
  handler: createProxy({ authorize }),
};
app.http("webhook", webhook);
app.http("proxy", proxy);
