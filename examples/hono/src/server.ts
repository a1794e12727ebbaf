import { serve } from "@hono/node-server";
import { TryOn } from "@tryon/client";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/hono";
import { Hono } from "hono";

// Replace these with the sessions and the database of your shop.
const sessions = new Map([
  ["session=7f3a", { id: "ada" }],
  ["session=c21e", { id: "bob" }],
]);
const results = new Map<string, { customer: unknown; url: string }>();

const tryon = new TryOn(); // reads TRYON_API_KEY and TRYON_BASE_URL, as the proxy does

const proxy = createProxy({
  authorize: ({ headers }) => sessions.get(headers.get("cookie") ?? ""),
  // An event has no data of the app, so the user is in the metadata of the job.
  addFields: ({ user }) => ({
    webhook_url: process.env["TRYON_WEBHOOK_URL"],
    metadata: { customer: user.id },
  }),
});

const receiver = createReceiver({
  secrets: process.env["TRYON_WEBHOOK_SECRET"],
  async onCompleted({ job_id: id, result_url: url }) {
    if (url === null) return; // The try-on failed, and the page shows that.
    const { metadata } = (await tryon.jobs.get(id)).data;
    results.set(id, { customer: metadata?.["customer"], url });
  },
});

const app = new Hono();
// Both need the raw body, so they come before middleware that reads it.
app.all("/api/tryon/*", (context) => proxy(context.req.raw));
app.post("/webhooks/tryon", receiver);

app.post("/cart", async (context) => {
  const { sku } = await context.req.json<{ sku: string }>();
  return context.json({ added: sku }, 201);
});

// Each URL is valid for 24 hours. To keep an image, fetch it in onCompleted.
app.get("/results", (context) => {
  const user = sessions.get(context.req.header("cookie") ?? "");
  if (user === undefined) return context.body(null, 401);
  const own = [...results.values()].filter(({ customer }) => customer === user.id);
  return context.json(own.map(({ url }) => url));
});

export const server = serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3_000) });
