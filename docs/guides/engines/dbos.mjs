import { DBOS } from "@dbos-inc/dbos-sdk";

import { isFinal, makeTryOn } from "./try-on.mjs";
import { allItems, done, tryon } from "./worker-client.mjs";

const workflow = DBOS.registerWorkflow(
  async (item) => {
    // The engine stores the result of a step, so a recovery gets the time of the first run.
    const firstAttemptAt = await DBOS.runStep(async () => tryon.clock.now(), { name: "start" });
    try {
      await DBOS.runStep(async () => void (await makeTryOn(tryon, item, firstAttemptAt)), {
        name: "try-on",
        retriesAllowed: true,
        maxAttempts: 5,
        shouldRetry: (error) => !isFinal(error),
      });
    } catch (error) {
      if (!isFinal(error)) throw error;
    }
    done(item.id);
  },
  { name: "try-on" },
);
DBOS.setConfig({
  name: "try-ons",
  systemDatabaseUrl: process.env.DATABASE_URL,
  // Recovery is for workflows of the same version.
  applicationVersion: "1",
  runAdminServer: false,
  logLevel: "error",
});
await DBOS.launch();
// A workflow with the same id starts once.
for (const item of allItems) await DBOS.startWorkflow(workflow, { workflowID: item.id })(item);
process.stdout.write("ready\n");
