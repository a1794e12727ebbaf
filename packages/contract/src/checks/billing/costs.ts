import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import { costs } from "../../target/budget.ts";
import { fieldsOf } from "../../wire/response.ts";
import { mustTake, payingKey } from "./balance.ts";

/** What a try-on costs. */
export const costChecks: readonly Check[] = [
  ...Object.entries(costs).map(([size, cost]) => sizeCheck(size, cost)),
  {
    id: "costs.test-key",
    title: "A try-on with a test key costs nothing",
    rules: ["test-key.free"],
    level: "safe",
    on: "test",
    credits: 0,
    async run(session) {
      const subject = { credits: 0, what: "A try-on with a test key" };
      const job = await mustTake(session, session.key, subject, () =>
        session.whole({ output_size: "1K" }),
      );
      const { cost_credits: cost } = fieldsOf(job.json);
      must(cost === 0, `A job of a test key reports ${String(cost)} cost_credits, and not 0.`, job);
    },
  },
];

function sizeCheck(size: string, cost: number): Check {
  return {
    id: `costs.${size.toLowerCase()}`,
    title: `A try-on in ${size} takes ${cost} credits, and says so`,
    rules: [`sizes.${size.toLowerCase()}.cost`],
    level: "paid",
    on: "live",
    credits: cost,
    async run(session) {
      const key = await payingKey(session);
      const subject = { credits: cost, what: `A try-on in ${size}` };
      const job = await mustTake(session, key, subject, async () => {
        const ended = await session.whole({ output_size: size }, { key });
        const { status } = fieldsOf(ended.json);
        // Whether a failure is given back is an open point.
        if (status !== "succeeded")
          throw new SkipCheck("The try-on failed, so its price is not seen.");
        return ended;
      });
      const { cost_credits: reported } = fieldsOf(job.json);
      must(
        reported === cost,
        `A try-on in ${size} reports ${String(reported)} cost_credits, and not ${cost}.`,
        job,
      );
    },
  };
}
