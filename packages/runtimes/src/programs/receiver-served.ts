import { TryOn } from "@tryon/client";
import { createReceiver } from "@tryon/webhooks";
import { images, type ProgramContext } from "./program-context.ts";

/** Receives a webhook of the server with the HTTP server of the runtime. */
export async function run({
  baseUrl,
  apiKey,
  webhookSecret,
  listen,
}: ProgramContext): Promise<unknown> {
  const tryon = new TryOn({ apiKey, baseUrl });
  const events: string[] = [];
  const webhookUrl = listen(
    createReceiver({
      secrets: webhookSecret,
      onCompleted: ({ job_id, status }) => void events.push(`${job_id} ${status}`),
    }),
  );
  const { id } = await tryon.submit({ ...images, webhook_url: webhookUrl });
  // In a worker, one request cannot wait for another, so the program polls.
  while (events.length === 0) await new Promise((later) => void setTimeout(later, 5));
  const forged = await fetch(webhookUrl, { method: "POST", body: "{}" });
  await forged.text();
  return [events.join() === `${id} succeeded`, forged.status];
}
