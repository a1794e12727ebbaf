import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks";
import { H3, serve } from "h3";
import { authorize, onCompleted, secrets } from "./shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
const proxy = createProxy({ authorize });
const app = new H3();
app.post("/webhooks/tryon", ({ req }) => receiver(req));
app.all("/api/tryon/**", ({ req }) => proxy(req));
serve(app, { port: process.env.PORT });
