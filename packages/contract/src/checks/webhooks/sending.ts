import { must, SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import type { HookResponse } from "../../target/receiver.ts";
import { elementsOf, fieldsOf } from "../../wire/response.ts";
import { checkGroup, mustHaveStatus } from "../expectations.ts";
import { setNextJob } from "../jobs/job-run.ts";
import {
  firstOf,
  isSigned,
  passInSteps,
  secretOf,
  startWithHook,
  step,
  waitForDeliveries,
  webhookJob,
} from "./deliveries.ts";

/** Delays before the retries, in milliseconds. */
const delays = [1_000, 4_000, 16_000];

const atEnd = "webhook.sent.at-end";
const any2xx = "webhook.receiver.any-2xx";
const schedule = "webhook.retry.schedule";
const blockedUrl = ["submit.blocked-url.which", "request.webhook-url.https"];

const privateUrls = [
  "https://10.1.2.3/hook",
  "https://169.254.169.254/hook",
  "https://[fd00::1]/hook",
];

const firstAttemptChecks = checkGroup({ level: "safe", on: "any", credits: 8 }, [
  {
    id: "webhooks.sent.succeeded",
    title: "Sends an event to webhook_url with POST when a job has succeeded",
    rules: [atEnd],
    async run(session) {
      const { deliveries, poll } = await webhookJob(session, "succeeded");
      const [first] = deliveries;
      must(first !== undefined, "No webhook arrived within 30 s of the end of a job.", poll);
      must(first.method === "POST", `Expected a webhook with POST, got ${first.method}.`);
    },
  },
  {
    id: "webhooks.sent.failed",
    title: "Sends an event to webhook_url when a job has failed",
    rules: [atEnd],
    async run(session) {
      const { deliveries, poll } = await webhookJob(session, "failed");
      must(deliveries.length > 0, "No webhook arrived within 30 s of the failure of a job.", poll);
    },
  },
  {
    id: "webhooks.sent.once",
    title: "Sends a delivered webhook once",
    rules: [atEnd],
    level: "full",
    async run(session) {
      const hook = await deliverTo(session, () => ({ status: 200 }));
      await passInSteps(session, 25_000);
      const { length } = hook.deliveries;
      must(length === 1, `A webhook that got 200 was sent ${length} times.`);
    },
  },
  {
    id: "webhooks.sent.at-end",
    title: "Sends no webhook before the end of the job",
    rules: [atEnd],
    async run(session) {
      // The control API makes the job slow.
      if (session.context.control !== undefined) {
        await setNextJob(session, session.key, { outcome: "succeeded", duration_ms: 6_000 });
      }
      const hook = session.openHook(() => ({ status: 200 }));
      const jobId = await startWithHook(session, hook);
      firstOf(await waitForDeliveries(session, hook, { within: 120_000 }));
      const poll = await session.poll(jobId);
      const { status } = fieldsOf(poll.json);
      must(
        status !== "running" && status !== "queued",
        `A webhook arrived while its job was ${String(status)}.`,
        poll,
      );
    },
  },
  {
    id: "webhooks.sent.only-where-asked",
    title: "Sends no webhook for a job without webhook_url, not even to that of an earlier job",
    rules: [atEnd],
    credits: 16,
    async run(session) {
      const hook = session.openHook(() => ({ status: 200 }));
      await session.waitForEnd(await startWithHook(session, hook));
      firstOf(await waitForDeliveries(session, hook));
      const { length } = hook.deliveries;
      const jobId = await session.start();
      await session.waitForEnd(jobId);
      await passInSteps(session, 2_000);
      const sent = await session.context.control?.get(`deliveries?job_id=${jobId}`);
      must(
        elementsOf(sent?.["deliveries"]).length === 0 && hook.deliveries.length === length,
        "A job without webhook_url has sent a webhook.",
      );
    },
  },
]);

const retryChecks = checkGroup({ level: "full", on: "any", credits: 8 }, [
  {
    id: "webhooks.retry.schedule",
    title: "Retries a webhook after 1, 4 and 16 s",
    rules: [schedule],
    async run(session) {
      const { deliveries } = await webhookJob(session, "undelivered");
      let previous = firstOf(deliveries);
      delays.forEach((delay, index) => {
        const next = deliveries[index + 1];
        must(next !== undefined, `Expected 4 attempts after 500, got ${deliveries.length}.`);
        const actual = next.at - previous.at;
        must(
          isAbout(session, actual, delay),
          `Expected retry ${index + 1} after ${delay / 1_000} s, got it after ${actual / 1_000} s.`,
        );
        previous = next;
      });
    },
  },
  {
    id: "webhooks.retry.no-more",
    title: "Sends nothing after the third retry",
    rules: ["webhook.delivery.best-effort", schedule],
    async run(session) {
      const { deliveries } = await webhookJob(session, "undelivered");
      const { length } = deliveries;
      must(length <= 4, `Expected at most 4 attempts after 500, got ${length}.`);
      firstOf(deliveries);
    },
  },
  {
    id: "webhooks.retry.signed",
    title: "Signs each retry over its own bytes",
    rules: ["webhook.signature.hmac", "webhook.body.each-attempt"],
    async run(session) {
      const secret = secretOf(session.key);
      const { deliveries } = await webhookJob(session, "undelivered");
      if (!isSigned(firstOf(deliveries), secret)) {
        throw new SkipCheck("The first attempt has a wrong signature, which has other checks.");
      }
      const wrong = deliveries.findIndex((delivery) => !isSigned(delivery, secret));
      must(wrong === -1, `The signature of retry ${wrong} does not match its bytes.`);
    },
  },
  {
    id: "webhooks.receiver.any-2xx",
    title: "Treats any 2xx as delivered",
    rules: [any2xx],
    credits: 24,
    async run(session) {
      for (const status of [201, 204, 299]) {
        const { deliveries } = await deliverTo(session, () => ({ status }));
        const { at } = firstOf(deliveries);
        await passInSteps(session, 3_000);
        // A duplicate at the same time is not a retry.
        const isRetried = deliveries.some((delivery) => delivery.at > at + step);
        must(!isRetried, `A webhook that got ${status} was sent again.`);
      }
    },
  },
  {
    id: "webhooks.receiver.only-2xx",
    title: "Retries a webhook after a 4xx",
    rules: [any2xx],
    async run(session) {
      const statuses = [404, 410, 400];
      const hook = await deliverTo(session, (attempt) => ({
        status: statuses[attempt - 1] ?? 200,
      }));
      const count = Math.min(4, await countAttempts(session));
      const { length } = await waitForDeliveries(session, hook, { count, within: 60_000 });
      must(length >= count, `A webhook that got ${statuses[length - 1]} was not sent again.`);
    },
  },
  {
    id: "webhooks.receiver.redirect",
    title: "Retries a webhook after a redirect, and does not follow it",
    rules: [any2xx],
    async run(session) {
      const target = session.openHook(() => ({ status: 200 }));
      const redirect = { status: 307, headers: { location: target.url } };
      const hook = await deliverTo(session, (attempt) =>
        attempt === 1 ? redirect : { status: 200 },
      );
      const count = Math.min(2, await countAttempts(session));
      const { length } = await waitForDeliveries(session, hook, { count, within: 10_000 });
      must(target.deliveries.length === 0, "A webhook followed a redirect to another URL.");
      must(length >= count, "A webhook that got 307 was not sent again.");
    },
  },
  {
    id: "webhooks.receiver.ten-seconds",
    title: "Waits 10 s for the response of a receiver, and then retries",
    rules: ["webhook.receiver.within-ten-seconds"],
    async run(session) {
      const hook = await deliverTo(session, (attempt) =>
        attempt === 1 ? "hang" : { status: 200 },
      );
      const first = firstOf(hook.deliveries);
      const [, second] = await waitForDeliveries(session, hook, { count: 2, within: 20_000 });
      if (second === undefined && (await countAttempts(session)) < 2) {
        throw new SkipCheck("The deployment never retries webhooks, which has other checks.");
      }
      must(second !== undefined, "A receiver did not respond for 20 s, and got no retry.");
      const actual = second.at - first.at;
      // The delay before the retry has its own check.
      must(
        actual >= 10_000 - step && actual <= 14_000,
        `Expected a retry 11 s after the first attempt without a response, got it after ${actual / 1_000} s.`,
      );
    },
  },
]);

/** Webhooks that are sent, retried or refused. */
export const sendingChecks = [
  ...firstAttemptChecks,
  ...retryChecks,
  ...checkGroup({ level: "safe", on: "any", credits: 24 }, [
    {
      id: "webhooks.target.private",
      title: "Responds with 400 to a webhook_url in a private network",
      rules: blockedUrl,
      async run(session) {
        for (const url of privateUrls) {
          mustHaveStatus(await session.submit({ webhook_url: url }), 400, `webhook_url ${url}`);
        }
      },
    },
    {
      id: "webhooks.target.not-https",
      title: "Responds with 400 to a webhook_url on its own machine or without TLS",
      rules: blockedUrl,
      credits: 16,
      async run(session) {
        const loopback = await session.submit({ webhook_url: "https://127.0.0.1:9/hook" });
        const { receiver } = session.context;
        // The kit receives webhooks on the same machine unless it has a public URL.
        const isLocal = receiver !== undefined && !session.openHook().url.startsWith("https:");
        if (loopback.status === 200 && isLocal) {
          throw new SkipCheck("The deployment allows webhooks to its own machine, as for tests.");
        }
        mustHaveStatus(loopback, 400, "webhook_url with a loopback IP");
        const plain = await session.submit({ webhook_url: "http://shop.example/hook" });
        mustHaveStatus(plain, 400, "webhook_url without TLS");
      },
    },
  ]),
];

/** Runs a job with a receiver and waits for the first webhook. @throws SkipCheck when none arrives. */
async function deliverTo(session: Session, respond: HookResponse) {
  const hook = session.openHook(respond);
  await startWithHook(session, hook);
  firstOf(await waitForDeliveries(session, hook, { within: 120_000 }));
  return hook;
}

/** Number of attempts to send a webhook that is never delivered. The right number has its own checks. */
async function countAttempts(session: Session): Promise<number> {
  return (await webhookJob(session, "undelivered")).deliveries.length;
}

/** If true, a delay is right as far as the kit can measure it. */
function isAbout({ time }: Session, actual: number, delay: number): boolean {
  if (time.virtual) return Math.abs(actual - delay) <= step;
  // The network and the deployment only add to the delay.
  return actual >= 0.8 * delay && actual <= 1.5 * delay + 3_000;
}
