import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/express";
import express from "express";
import { authorize, onCompleted, secrets } from "./shop.mjs";

const app = express();
app.post("/webhooks/tryon", createReceiver({ secrets, onCompleted }));
app.use("/api/tryon", toNodeHandler(createProxy({ authorize })));
app.use(express.json());
app.listen(process.env.PORT);
