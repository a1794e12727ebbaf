import express from "@feathersjs/express";
import { feathers } from "@feathersjs/feathers";
import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/express";
import { authorize, onCompleted, secrets } from "./shop.mjs";

const app = express(feathers());
app.post("/webhooks/tryon", createReceiver({ secrets, onCompleted }));
app.use("/api/tryon", toNodeHandler(createProxy({ authorize })));
app.use(express.json());
app.configure(express.rest());
await app.listen(process.env.PORT);
