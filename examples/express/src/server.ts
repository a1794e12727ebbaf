import { TryOn } from "@tryon/client";
import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/express";
import express from "express";

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

const app = express();
// Both need the raw body, so they come before express.json().
app.use("/api/tryon", toNodeHandler(proxy));
app.post("/webhooks/tryon", receiver);
app.use(express.json());

app.post("/cart", (request, response) => {
  response.status(201).json({ added: request.body.sku });
});

// Each URL is valid for 24 hours. To keep an image, fetch it in onCompleted.
app.get("/results", (request, response) => {
  const user = sessions.get(request.headers.cookie ?? "");
  const own = [...results.values()].filter(({ customer }) => customer === user?.id);
  if (user === undefined) response.sendStatus(401);
  else response.json(own.map(({ url }) => url));
});

export const server = app.listen(Number(process.env["PORT"] ?? 3_000));
