import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import type { Delivery } from "../../target/receiver.ts";
import { arrived, firstOf, startTold, step, watched } from "./arrivals.ts";
import { refused } from "./samples.ts";
import { isSigned, secretOf } from "./signature.ts";

/** The pauses before the retries, in milliseconds. */
const pauses = [1_000, 4_000, 16_000] as const;

/** What becomes of webhooks that were not taken. */
export const retryChecks: readonly Check[] = [
  {
    id: "webhooks.retry.schedule",
    title: "A webhook that was not taken is sent again after 1, 4 and 16 s",
    rules: ["webhook.retry.schedule"],
    level: "full",
    on: "any",
    credits: 8,
    async run(session) {
      const { deliveries } = await refused(session);
      let earlier = firstOf(deliveries);
      pauses.forEach((pause, index) => {
        const next = deliveries[index + 1];
        must(
          next !== undefined,
          `A webhook that was answered 500 was sent ${deliveries.length} times, and not 4 times.`,
        );
        const took = next.at - earlier.at;
        must(
          isAbout(session, took, pause),
          `Retry ${index + 1} came after ${took / 1_000} s, and not after ${pause / 1_000} s.`,
        );
        earlier = next;
      });
    },
  },
  {
    id: "webhooks.retry.no-more",
    title: "After the third retry nothing more is sent",
    rules: ["webhook.delivery.best-effort", "webhook.retry.schedule"],
    level: "full",
    on: "any",
    credits: 8,
    async run(session) {
      const { length } = (await refused(session)).deliveries;
      must(length <= 4, `A webhook that was answered 500 was sent ${length} times, and not 4.`);
      if (length === 0) throw new SkipCheck("No webhook came, which other checks look at.");
    },
  },
  {
    id: "webhooks.retry.signed",
    title: "Each retry is signed over its own bytes",
    rules: ["webhook.signature.hmac", "webhook.body.each-attempt"],
    level: "full",
    on: "any",
    credits: 8,
    async run(session) {
      const secret = secretOf(session.key);
      const { deliveries } = await refused(session);
      if (!isSigned(firstOf(deliveries), secret)) {
        throw new SkipCheck(
          "The first attempt is not signed so, either, which other checks look at.",
        );
      }
      const wrong = deliveries.findIndex((delivery) => !isSigned(delivery, secret));
      must(wrong === -1, `The signature of retry ${wrong} is not that of its bytes.`);
    },
  },
  {
    id: "webhooks.receiver.any-2xx",
    title: "Any 2xx takes delivery",
    rules: ["webhook.receiver.any-2xx"],
    level: "full",
    on: "any",
    credits: 24,
    async run(session) {
      for (const status of [201, 204, 299]) {
        const hook = session.hook(() => ({ status }));
        await startTold(session, hook);
        const { at } = firstOf(await arrived(session, hook, { within: 120_000 }));
        await watched(session, 3_000);
        // What comes at once is no retry.
        const again = hook.deliveries.some((delivery) => delivery.at > at + step);
        must(!again, `A webhook that was answered ${status} was sent again.`);
      }
    },
  },
  {
    id: "webhooks.receiver.only-2xx",
    title: "A 4xx does not take delivery",
    rules: ["webhook.receiver.any-2xx"],
    level: "full",
    on: "any",
    credits: 8,
    async run(session) {
      const statuses = [404, 410, 400];
      const hook = session.hook((attempt) => ({ status: statuses[attempt - 1] ?? 200 }));
      await startTold(session, hook);
      firstOf(await arrived(session, hook, { within: 120_000 }));
      const count = Math.min(4, await attempts(session));
      const { length } = await arrived(session, hook, { count, within: 60_000 });
      must(
        length >= count,
        `A webhook that was answered ${statuses[length - 1]} was not sent again.`,
      );
    },
  },
  {
    id: "webhooks.receiver.redirect",
    title: "A redirect does not take delivery, and is not followed",
    rules: ["webhook.receiver.any-2xx"],
    level: "full",
    on: "any",
    credits: 8,
    async run(session) {
      const elsewhere = session.hook(() => ({ status: 200 }));
      const redirect = { status: 307, headers: { location: elsewhere.url } };
      const hook = session.hook((attempt) => (attempt === 1 ? redirect : { status: 200 }));
      await startTold(session, hook);
      firstOf(await arrived(session, hook, { within: 120_000 }));
      const count = Math.min(2, await attempts(session));
      const { length } = await arrived(session, hook, { count, within: 10_000 });
      must(elsewhere.deliveries.length === 0, "A webhook followed a redirect to another address.");
      must(length >= count, "A webhook that was answered 307 was not sent again.");
    },
  },
  {
    id: "webhooks.receiver.ten-seconds",
    title: "A receiver has 10 s to answer, and then counts as one that failed",
    rules: ["webhook.receiver.within-ten-seconds"],
    level: "full",
    on: "any",
    credits: 8,
    async run(session) {
      const hook = session.hook((attempt) => (attempt === 1 ? "hang" : { status: 200 }));
      await startTold(session, hook);
      const first = firstOf(await arrived(session, hook, { within: 120_000 }));
      const [, second] = await arrived(session, hook, { count: 2, within: 20_000 });
      if (second === undefined && (await attempts(session)) < 2) {
        throw new SkipCheck("Nothing is ever sent again, which other checks look at.");
      }
      must(second !== undefined, "A receiver did not answer for 20 s, and nothing was sent again.");
      const took = second.at - first.at;
      // The pause before the retry is a claim of its own.
      must(
        took >= 10_000 - step && took <= 14_000,
        `A receiver that did not answer was given up so that the retry came after ${took / 1_000} s, and not after 11 s.`,
      );
    },
  },
];

/** How often a webhook is sent that nobody takes: how often it should be is a claim of its own. */
async function attempts(session: Session): Promise<number> {
  return (await refused(session)).deliveries.length;
}

/** Whether a pause is as long as it should be, as far as it can be seen. */
function isAbout({ time }: Session, took: Delivery["at"], pause: number): boolean {
  if (time.virtual) return Math.abs(took - pause) <= step;
  // The way there and back, and what else the deployment has to do, only ever add to it.
  return took >= 0.8 * pause && took <= 1.5 * pause + 3_000;
}
