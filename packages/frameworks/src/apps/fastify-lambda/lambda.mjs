import lambda from "@fastify/aws-lambda";
import { createReceiver } from "@tryon/webhooks/fastify";
import Fastify from "fastify";
import { onCompleted, secrets } from "./shop.mjs";

const app = Fastify();
app.register(createReceiver({ secrets, onCompleted }), { prefix: "/webhooks/tryon" });
export const handler = lambda(app);
export const balanced = true;
