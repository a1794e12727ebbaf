import { WorkflowEntrypoint } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { TryOn } from "@tryon/client";

import { isFinal, makeTryOn } from "./try-on.mjs";

export class TryOnWorkflow extends WorkflowEntrypoint {
  async run({ instanceId, payload, timestamp }, step) {
    const { TRYON_API_KEY: apiKey, TRYON_BASE_URL: baseUrl, OFFSET, PROCESS_ID } = this.env;
    // The clock and the header are needs of the test.
    const tryon = new TryOn({
      apiKey,
      baseUrl,
      clock: {
        now: () => Date.now() + Number(OFFSET),
        setTimeout: (callback, delay) => setTimeout(() => callback(), delay),
        clearTimeout: (timer) => clearTimeout(timer),
      },
      middleware: (request, next) => {
        request.headers.set("x-process-id", PROCESS_ID);
        return next(request);
      },
    });
    const retries = { limit: 100, delay: "1 second", backoff: "constant" };
    await step.do("try-on", { retries, timeout: "15 minutes" }, async () => {
      try {
        await makeTryOn(tryon, { id: instanceId, input: payload }, timestamp);
      } catch (error) {
        if (isFinal(error)) throw new NonRetryableError(error.message);
        throw error;
      }
    });
  }
}

export default {
  /** Creates instances, or restarts those of a killed process, and returns their statuses. */
  async fetch(request, { TRY_ONS }) {
    const { all, items, isRestart } = await request.json();
    for (const { id, input } of items) await TRY_ONS.create({ id, params: input });
    const statuses = all.map(async ({ id }) => {
      const instance = await TRY_ONS.get(id);
      const { status } = await instance.status();
      // The local runtime does not continue them by itself. The event has the same time again.
      if (isRestart && status === "running") await instance.restart();
      return [id, status];
    });
    return Response.json(await Promise.all(statuses));
  },
};
