import { makeWorkerUtils, run } from "graphile-worker";

import { isFinal, makeTryOn } from "./try-on.mjs";
import { done, items, tryon } from "./worker-client.mjs";

const connectionString = process.env.DATABASE_URL;
const utils = await makeWorkerUtils({ connectionString });
await utils.migrate();
for (const { id, input } of items) await utils.addJob("try-on", { id, input }, { jobKey: id });
await utils.release();
await run({
  connectionString,
  concurrency: 1,
  pollInterval: 500,
  noHandleSignals: true,
  taskList: {
    async "try-on"(payload, { job }) {
      try {
        await makeTryOn(tryon, payload, job.created_at);
      } catch (error) {
        if (!isFinal(error)) throw error;
      }
      done(payload.id);
    },
  },
});
process.stdout.write("ready\n");
