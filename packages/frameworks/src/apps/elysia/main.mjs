import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks";
import { Elysia } from "elysia";
import { authorize, onCompleted, secrets } from "./shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
const proxy = createProxy({ authorize });
new Elysia()
  .post("/webhooks/tryon", ({ request }) => receiver(request), { parse: "none" })
  .all("/api/tryon/*", ({ request }) => proxy(request), { parse: "none" })
  .listen(process.env.PORT);
