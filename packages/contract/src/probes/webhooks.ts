import { probeGroup } from "../check.ts";
import { startWithHook, waitForDeliveries } from "../checks/webhooks/deliveries.ts";

export const webhookProbes = probeGroup(8, {
  webhookBody: {
    title: "Bytes of each attempt to deliver a webhook",
    rules: ["webhook.body.each-attempt"],
    async observe(session) {
      const hook = session.openHook((attempt) => ({ status: attempt === 1 ? 500 : 200 }));
      await session.waitForEnd(await startWithHook(session, hook));
      const [first, second] = await waitForDeliveries(session, hook, { count: 2 });
      if (first === undefined || second === undefined) return undefined;
      return first.text === second.text ? "same" : "resigned";
    },
  },
});
