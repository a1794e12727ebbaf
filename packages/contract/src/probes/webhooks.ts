import type { Probe } from "../check.ts";
import { arrived, startTold } from "../checks/webhooks/arrivals.ts";

export const webhookProbes: readonly Probe[] = [
  {
    id: "observed.webhookBody",
    option: "webhookBody",
    title: "Whether each attempt of a delivery has the same bytes",
    rules: ["webhook.body.each-attempt"],
    level: "safe",
    on: "any",
    credits: 8,
    async observe(session) {
      const hook = session.hook((attempt) => ({ status: attempt === 1 ? 500 : 200 }));
      const jobId = await startTold(session, hook);
      await session.end(jobId);
      const [first, second] = await arrived(session, hook, { count: 2 });
      if (first === undefined || second === undefined) return undefined;
      return first.text === second.text ? "same" : "resigned";
    },
  },
];
