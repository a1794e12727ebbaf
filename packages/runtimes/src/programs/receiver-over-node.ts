import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";

import { TryOn } from "@tryon/client";
import { createReceiver } from "@tryon/webhooks/node";
import { images, type ProgramContext } from "./program-context.ts";

/** Receives a webhook of the server with `node:http`. */
export async function run({ baseUrl, apiKey, webhookSecret }: ProgramContext): Promise<unknown> {
  const tryon = new TryOn({ apiKey, baseUrl });
  const events = new EventEmitter();
  const arrived = once(events, "completed");
  const receiver = createReceiver({
    secrets: webhookSecret,
    onCompleted: ({ job_id, status }) => void events.emit("completed", `${job_id} ${status}`),
  });
  const server = createServer((request, response) => void receiver(request, response));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const webhookUrl = `http://127.0.0.1:${port}/hook`;
  const { id } = await tryon.submit({ ...images, webhook_url: webhookUrl });
  const [event]: unknown[] = await arrived;
  const forged = await fetch(webhookUrl, { method: "POST", body: "{}" });
  await forged.text();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  return [event === `${id} succeeded`, forged.status];
}
