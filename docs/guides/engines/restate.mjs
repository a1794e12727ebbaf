import * as restate from "@restatedev/restate-sdk";

import { isFinal, makeTryOn } from "./try-on.mjs";
import { done, tryon } from "./worker-client.mjs";

const tryOns = restate.workflow({
  name: "tryOns",
  handlers: {
    async run(context, item) {
      // The engine stores the result of a step, so a retry gets the time of the first attempt.
      const firstAttemptAt = await context.run("start", () => tryon.clock.now());
      await context.run("try-on", async () => {
        try {
          await makeTryOn(tryon, item, firstAttemptAt);
        } catch (error) {
          // Any other error is retried.
          if (isFinal(error)) throw new restate.TerminalError(error.message);
          throw error;
        }
      });
      done(item.id);
    },
  },
});
await restate.serve({ services: [tryOns], port: Number(process.env.PORT) });
process.stdout.write("ready\n");
