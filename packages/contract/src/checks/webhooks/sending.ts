import { must, need } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { elementsOf, fieldsOf } from "../../wire/response.ts";
import { checkRows, mustHaveStatus } from "../expectations.ts";
import {
  firstOf,
  isSigned,
  secretOf,
  sendWebhook,
  startWithHook,
  step,
  waitForDeliveries,
  webhookJob,
} from "./deliveries.ts";

const atEnd = "webhook.sent.at-end";
const any2xx = "webhook.receiver.any-2xx";
const schedule = "webhook.retry.schedule";

export const sendingChecks = [
  ...checkRows("safe", 8, {
    "webhooks.sent.succeeded": {
      title: "Sends an event to webhook_url with POST when a job has succeeded",
      rules: [atEnd],
      async run(session) {
        const { deliveries, poll } = await webhookJob(session, "succeeded");
        const [first] = deliveries;
        must(first !== undefined, "No webhook arrived within 30 s of the end of a job.", poll);
        must(first.method === "POST", `Expected a webhook with POST, got ${first.method}.`);
      },
    },
    "webhooks.sent.failed": {
      title: "Sends an event to webhook_url when a job has failed",
      rules: [atEnd],
      async run(session) {
        const { deliveries, poll } = await webhookJob(session, "failed");
        must(
          deliveries.length > 0,
          "No webhook arrived within 30 s of the failure of a job.",
          poll,
        );
      },
    },
    "webhooks.sent.at-end": {
      title: "Sends no webhook before the end of the job",
      rules: [atEnd],
      async run(session) {
        await session.keys.slowNextJob(6_000);
        const hook = session.http.openHook(() => ({ status: 200 }));
        const jobId = await startWithHook(session, hook);
        firstOf(await waitForDeliveries(session, hook, { within: 120_000 }));
        const poll = await session.http.poll(jobId);
        const { status } = fieldsOf(poll.json);
        const isOver = status !== "running" && status !== "queued";
        must(isOver, `A webhook arrived while its job was ${String(status)}.`, poll);
      },
    },
    "webhooks.sent.only-where-asked": {
      title: "Sends no webhook for a job without webhook_url, not even to that of an earlier job",
      rules: [atEnd],
      credits: 16,
      async run(session) {
        const { hook } = await sendWebhook(session);
        const { length } = hook.deliveries;
        const jobId = await session.http.start();
        await session.http.waitForEnd(jobId);
        await waitForDeliveries(session, hook, { count: length + 1, within: 2_000 });
        const sent = await session.context.control?.get(`deliveries?job_id=${jobId}`);
        const isSame =
          elementsOf(sent?.["deliveries"]).length === 0 && hook.deliveries.length === length;
        must(isSame, "A job without webhook_url has sent a webhook.");
      },
    },
    "webhooks.target.not-https": {
      title: "Refuses a webhook_url without TLS",
      rules: ["request.webhook-url.https"],
      credits: 16,
      async run({ context, http }) {
        const loopback = await http.submit({ webhook_url: "https://127.0.0.1:9/hook" });
        const { receiver } = context;
        // The kit receives webhooks on the same machine unless it has a public URL.
        const isLocal = receiver !== undefined && !http.openHook().url.startsWith("https:");
        const isAllowed = loopback.status === 200 && isLocal;
        need(!isAllowed, "The deployment allows webhooks to its own machine, as for tests.");
        const plain = await http.submit({ webhook_url: "http://shop.example/hook" });
        mustHaveStatus(plain, [400, 422], "webhook_url without TLS");
      },
    },
  }),
  ...checkRows("full", 8, {
    "webhooks.sent.once": {
      title: "Sends a delivered webhook once",
      rules: [atEnd],
      async run(session) {
        const { hook } = await sendWebhook(session);
        const { length } = await waitForDeliveries(session, hook, { count: 2, within: 25_000 });
        must(length === 1, `A webhook that got 200 was sent ${length} times.`);
      },
    },
    "webhooks.retry.schedule": {
      title: "Retries a webhook after 1, 4 and 16 s",
      rules: [schedule],
      async run(session) {
        const { deliveries } = await webhookJob(session, "undelivered");
        let previous = firstOf(deliveries);
        for (const [index, delay] of [1_000, 4_000, 16_000].entries()) {
          const next = deliveries[index + 1];
          must(next !== undefined, `Expected 4 attempts after 500, got ${deliveries.length}.`);
          const actual = next.at - previous.at;
          must(
            isAbout(session, actual, delay),
            `Expected retry ${index + 1} after ${delay / 1_000} s, got it after ${actual / 1_000} s.`,
          );
          previous = next;
        }
      },
    },
    "webhooks.retry.no-more": {
      title: "Sends nothing after the third retry",
      rules: ["webhook.delivery.best-effort", schedule],
      async run(session) {
        const { deliveries } = await webhookJob(session, "undelivered");
        const { length } = deliveries;
        must(length <= 4, `Expected at most 4 attempts after 500, got ${length}.`);
        firstOf(deliveries);
      },
    },
    "webhooks.retry.signed": {
      title: "Signs each retry over its own bytes",
      rules: ["webhook.signature.hmac"],
      async run(session) {
        const secret = secretOf(session.keys.own);
        const { deliveries } = await webhookJob(session, "undelivered");
        const isRight = isSigned(firstOf(deliveries), secret);
        need(isRight, "The first attempt has a wrong signature, which has other checks.");
        const wrong = deliveries.findIndex((delivery) => !isSigned(delivery, secret));
        must(wrong === -1, `The signature of retry ${wrong} does not match its bytes.`);
      },
    },
    "webhooks.receiver.any-2xx": {
      title: "Treats any 2xx as delivered",
      rules: [any2xx],
      credits: 24,
      async run(session) {
        for (const status of [201, 204, 299]) {
          const { hook, first } = await sendWebhook(session, () => ({ status }));
          await waitForDeliveries(session, hook, { count: Infinity, within: 3_000 });
          // A duplicate at the same time is not a retry.
          const isRetried = hook.deliveries.some(({ at }) => at > first.at + step);
          must(!isRetried, `A webhook that got ${status} was sent again.`);
        }
      },
    },
    "webhooks.receiver.only-2xx": {
      title: "Retries a webhook after a 4xx",
      rules: [any2xx],
      async run(session) {
        const statuses = [404, 410, 400];
        const { hook } = await sendWebhook(session, (attempt) => ({
          status: statuses[attempt - 1] ?? 200,
        }));
        const count = Math.min(4, await countAttempts(session));
        const { length } = await waitForDeliveries(session, hook, { count, within: 60_000 });
        must(length >= count, `A webhook that got ${statuses[length - 1]} was not sent again.`);
      },
    },
    "webhooks.receiver.redirect": {
      title: "Retries a webhook after a redirect, and does not follow it",
      rules: [any2xx],
      async run(session) {
        const target = session.http.openHook(() => ({ status: 200 }));
        const redirect = { status: 307, headers: { location: target.url } };
        const { hook } = await sendWebhook(session, (attempt) =>
          attempt === 1 ? redirect : { status: 200 },
        );
        const count = Math.min(2, await countAttempts(session));
        const { length } = await waitForDeliveries(session, hook, { count, within: 10_000 });
        must(target.deliveries.length === 0, "A webhook followed a redirect to another URL.");
        must(length >= count, "A webhook that got 307 was not sent again.");
      },
    },
    "webhooks.receiver.ten-seconds": {
      title: "Waits 10 s for the response of a receiver, and then retries",
      rules: ["webhook.receiver.within-ten-seconds"],
      async run(session) {
        const { hook, first } = await sendWebhook(session, (attempt) =>
          attempt === 1 ? "hang" : { status: 200 },
        );
        const [, second] = await waitForDeliveries(session, hook, { count: 2, within: 20_000 });
        const isRetried = second !== undefined || (await countAttempts(session)) >= 2;
        need(isRetried, "The deployment never retries webhooks, which has other checks.");
        must(second !== undefined, "A receiver did not respond for 20 s, and got no retry.");
        const actual = second.at - first.at;
        // The delay before the retry has its own check.
        must(
          actual >= 10_000 - step && actual <= 14_000,
          `Expected a retry 11 s after the first attempt without a response, got it after ${actual / 1_000} s.`,
        );
      },
    },
  }),
];

/** Number of attempts to send a webhook that is never delivered. The right number has its own checks. */
async function countAttempts(session: Session): Promise<number> {
  return (await webhookJob(session, "undelivered")).deliveries.length;
}

function isAbout({ time }: Session, actual: number, delay: number): boolean {
  if (time.virtual) return Math.abs(actual - delay) <= step;
  // The network and the deployment only add to the delay.
  return actual >= 0.8 * delay && actual <= 1.5 * delay + 3_000;
}
