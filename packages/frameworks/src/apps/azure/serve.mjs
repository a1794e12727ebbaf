// Calls the handlers with requests of `@azure/functions`, as the host does.
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";

import { HttpRequest } from "@azure/functions";
import { proxy, webhook } from "./functions.mjs";

createServer(async (incoming, outgoing) => {
  const bytes = await buffer(incoming);
  const request = new HttpRequest({
    url: `http://127.0.0.1:${process.env.PORT}${incoming.url}`,
    method: incoming.method,
    headers: incoming.headers,
    ...(bytes.length > 0 && { body: { bytes } }),
  });
  const functions = incoming.url === "/webhooks/tryon" ? webhook : proxy;
  const isAllowed = functions.methods.includes(incoming.method);
  const response = isAllowed ? await functions.handler(request) : new Response("", { status: 404 });
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}).listen(process.env.PORT, "127.0.0.1");
