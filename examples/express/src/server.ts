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
const looks = new Map<string, { customer: unknown; picture: string }>();

const tryon = new TryOn(); // reads TRYON_API_KEY and TRYON_BASE_URL, as the proxy does

const proxy = createProxy({
  authorize: ({ headers }) => sessions.get(headers.get("cookie") ?? ""),
  // An event tells which job has ended, and nothing of the app's: that is kept with the job.
  addFields: ({ user }) => ({
    webhook_url: process.env["TRYON_WEBHOOK_URL"],
    metadata: { customer: user.id },
  }),
});

const receiver = createReceiver({
  secrets: process.env["TRYON_WEBHOOK_SECRET"],
  async onCompleted({ job_id: id, result_url: picture }) {
    if (picture === null) return; // The try-on failed, and the page says so.
    const { metadata } = (await tryon.jobs.get(id)).data;
    looks.set(id, { customer: metadata?.["customer"], picture });
  },
});

const app = express();
// Both want the body as it came, so they stand ahead of express.json().
app.use("/api/tryon", toNodeHandler(proxy));
app.post("/webhooks/tryon", receiver);
app.use(express.json());

app.post("/cart", (request, response) => {
  response.status(201).json({ added: request.body.sku });
});

// Each URL is valid for 24 hours. To keep an image, fetch it in onCompleted.
app.get("/looks", (request, response) => {
  const user = sessions.get(request.headers.cookie ?? "");
  const own = [...looks.values()].filter(({ customer }) => customer === user?.id);
  if (user === undefined) response.sendStatus(401);
  else response.json(own.map(({ picture }) => picture));
});

export const server = app.listen(Number(process.env["PORT"] ?? 3_000));
