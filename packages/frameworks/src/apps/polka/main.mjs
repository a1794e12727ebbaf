import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/node";
import polka from "polka";
import { authorize, onCompleted, secrets } from "./shop.mjs";

polka()
  .post("/webhooks/tryon", createReceiver({ secrets, onCompleted }))
  .all("/api/tryon/*", toNodeHandler(createProxy({ authorize })))
  .listen(process.env.PORT);
