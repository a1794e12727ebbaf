import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/koa";
import Koa from "koa";
import { authorize, onCompleted, secrets } from "./shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
const proxy = toNodeHandler(createProxy({ authorize }));
const app = new Koa();
app.use((context, next) => {
  if (context.path === "/webhooks/tryon") return receiver(context);
  if (!context.path.startsWith("/api/tryon/")) return next();
  context.respond = false;
  return proxy(context.req, context.res);
});
app.listen(process.env.PORT);
