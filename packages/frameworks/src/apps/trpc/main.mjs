import { createServer } from "node:http";

import { initTRPC } from "@trpc/server";
import { createHTTPHandler } from "@trpc/server/adapters/standalone";
import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/node";
import { authorize, onCompleted, secrets } from "./shop.mjs";

const receiver = createReceiver({ secrets, onCompleted });
const proxy = toNodeHandler(createProxy({ authorize }));
const trpc = createHTTPHandler({ router: initTRPC.create().router({}) });
createServer((request, response) => {
  if (request.url === "/webhooks/tryon") void receiver(request, response);
  else if (request.url.startsWith("/api/tryon/")) proxy(request, response);
  else trpc(request, response);
}).listen(process.env.PORT);
