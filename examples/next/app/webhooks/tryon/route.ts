import { appendFile } from "node:fs/promises";

import { createReceiver } from "@tryon/webhooks/next";

export const POST = createReceiver({
  secrets: () => process.env.TRYON_WEBHOOK_SECRET,
  // A file, so that this example needs no database. Use the one of your app.
  onCompleted: (event) =>
    appendFile("results.ndjson", `${JSON.stringify([event.job_id, event.status])}\n`),
});
