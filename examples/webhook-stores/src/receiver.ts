import { serve } from "@hono/node-server";
import { createReceiver } from "@tryon/webhooks";

import { connect } from "./connect.ts";

const { STORE_URL, PORT } = process.env;
if (STORE_URL === undefined) {
  throw new Error(
    "Set STORE_URL to the URL of a Redis or PostgreSQL server or the path of a SQLite file, e.g. redis://127.0.0.1",
  );
}
const connection = await connect(STORE_URL);

const receive = createReceiver({
  secrets: () => process.env["TRYON_WEBHOOK_SECRET"],
  store: connection.store,
  onCompleted(event) {
    process.stdout.write(`${event.job_id} ${event.status}\n`);
  },
});

const settings = { fetch: receive, port: Number(PORT ?? 3_000), hostname: "127.0.0.1" };
const server = serve(settings, ({ port }) => {
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
});

process.once("SIGTERM", () => {
  server.close(() => void connection.close());
});
