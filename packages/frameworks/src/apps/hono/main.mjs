import { serve } from "@hono/node-server";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/hono";
import { Hono } from "hono";
import { authorize, onCompleted, secrets } from "./shop.mjs";

const proxy = createProxy({ authorize });
const app = new Hono();
app.post("/webhooks/tryon", createReceiver({ secrets, onCompleted }));
app.all("/api/tryon/*", ({ req }) => proxy(req.raw));
serve({ fetch: app.fetch, port: Number(process.env.PORT) });
