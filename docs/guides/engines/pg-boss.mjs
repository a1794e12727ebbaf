import { PgBoss } from "pg-boss";

import { isFinal, makeTryOn } from "./try-on.mjs";
import { done, items, tryon } from "./worker-client.mjs";

const boss = new PgBoss({
  connectionString: process.env.DATABASE_URL,
  superviseIntervalSeconds: 1,
});
boss.on("error", () => undefined);
await boss.start();
// Short, so that another worker soon gets the items of a killed one.
await boss.createQueue("try-ons", { retryLimit: 100, retryDelay: 1, expireInSeconds: 10 });
for (const { id, input } of items) await boss.send("try-ons", { id, input }, { singletonKey: id });
await boss.work(
  "try-ons",
  { includeMetadata: true, pollingIntervalSeconds: 0.5 },
  async ([job]) => {
    try {
      await makeTryOn(tryon, job.data, job.createdOn);
    } catch (error) {
      if (!isFinal(error)) throw error;
    }
    done(job.data.id);
  },
);
process.stdout.write("ready\n");
