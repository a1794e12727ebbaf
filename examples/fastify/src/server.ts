import { TryOn } from "@tryon/client";
import { toNodeHandler } from "@tryon/client/node";
import { createProxy } from "@tryon/client/proxy";
import { createReceiver } from "@tryon/webhooks/fastify";
import Fastify from "fastify";

// Replace these with the sessions and the database of your shop.
const sessions = new Map([
  ["session=7f3a", { id: "ada" }],
  ["session=c21e", { id: "bob" }],
]);
const results = new Map<string, { customer: unknown; url: string }>();

const tryon = new TryOn(); // reads TRYON_API_KEY and TRYON_BASE_URL, as the proxy does

const proxy = toNodeHandler(
  createProxy({
    authorize: ({ headers }) => sessions.get(headers.get("cookie") ?? ""),
    // An event has no data of the app, so the user is in the metadata of the job.
    addFields: ({ user }) => ({
      webhook_url: process.env["TRYON_WEBHOOK_URL"],
      metadata: { customer: user.id },
    }),
  }),
);

const receiver = createReceiver({
  secrets: process.env["TRYON_WEBHOOK_SECRET"],
  async onCompleted({ job_id: id, result_url: url }) {
    if (url === null) return; // The try-on failed, and the page shows that.
    const { metadata } = (await tryon.jobs.get(id)).data;
    results.set(id, { customer: metadata?.["customer"], url });
  },
});

const app = Fastify();
await app.register(receiver, { prefix: "/webhooks/tryon" });

// In this scope, no parser reads the body, and the proxy sends the response.
await app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
  scope.all("/api/tryon/*", (request, reply) => {
    reply.hijack();
    proxy(request.raw, reply.raw);
  });
});

app.post<{ Body: { sku: string } }>("/cart", (request, reply) => {
  return reply.code(201).send({ added: request.body.sku });
});

// Each URL is valid for 24 hours. To keep an image, fetch it in onCompleted.
app.get("/results", (request, reply) => {
  const user = sessions.get(request.headers.cookie ?? "");
  if (user === undefined) return reply.code(401).send();
  const own = [...results.values()].filter(({ customer }) => customer === user.id);
  return reply.send(own.map(({ url }) => url));
});

await app.listen({ port: Number(process.env["PORT"] ?? 3_000) });
export const { server } = app;
