import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks";
import { env } from "cloudflare:workers";

import { eventStore } from "./try-on-event.ts";

export { TryOnEvent } from "./try-on-event.ts";

/** Proxy for pages of the shop, which use `new TryOn({ proxyUrl: "/api/tryon" })`. */
const proxy = createProxy({
  apiKey: env.TRYON_API_KEY,
  baseUrl: env.TRYON_BASE_URL,
  authorize: async (request) => {
    const [, session] = /(?:^|; )session=(\w+)/.exec(request.headers.get("cookie") ?? "") ?? [];
    const id = session && (await env.SESSIONS.get(session));
    return id ? { id } : null;
  },
  addFields: () => ({ webhook_url: env.TRYON_WEBHOOK_URL }),
});

/** Receives the end of each job, so that no image is lost when its page is closed. */
const receive = createReceiver({
  secrets: () => env.TRYON_WEBHOOK_SECRET,
  store: eventStore(env.EVENTS),
  async onCompleted(event) {
    if (!event.result_url) return; // the job has failed
    const image = await fetch(event.result_url);
    // After an error here, the service retries the delivery.
    if (!image.ok) throw new Error(`The image of ${event.job_id} has status ${image.status}.`);
    await env.IMAGES.put(`${event.job_id}.png`, await image.arrayBuffer());
  },
});

export default {
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/api/tryon/")) return proxy(request);
    if (pathname === "/webhooks/tryon") return receive(request);
    return new Response("Not found", { status: 404 });
  },
} satisfies ExportedHandler;
