import { probeGroup, type Probe } from "../check.ts";
import { startWithHook, waitForDeliveries } from "../checks/webhooks/deliveries.ts";
import { billingProbes } from "./billing.ts";
import { jobProbes } from "./jobs.ts";
import { requestProbes } from "./requests.ts";

/** Open points of webhooks. */
export const webhookProbes = probeGroup(8, {
  webhookBody: {
    title: "Bytes of each attempt to deliver a webhook",
    async observe(session) {
      const hook = session.openHook((attempt) => ({ status: attempt === 1 ? 500 : 200 }));
      await session.waitForEnd(await startWithHook(session, hook));
      const [first, second] = await waitForDeliveries(session, hook, { count: 2 });
      if (first === undefined || second === undefined) return undefined;
      return first.text === second.text ? "same" : "resigned";
    },
  },
});

/** Every probe, in the order of a run. */
export const allProbes: readonly Probe[] = [
  ...requestProbes,
  ...jobProbes,
  ...billingProbes,
  ...webhookProbes,
];

/** Options of the reference server that have no probe, with the reason. */
export const notObservableOptions: Readonly<Record<string, string>> = {
  idempotencyHours: "A run would have to use a key again after an hour and after a day.",
  stored500: "The service would have to fail between the creation of a job and the model.",
  dailySpendCap: "A run would have to spend the whole cap.",
  suspendAfterContentBlocked: "A run would have to risk a key.",
};
