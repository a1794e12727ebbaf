import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import { elementsOf, fieldsOf } from "../../wire/response.ts";
import { arrived, firstOf, startTold, watched } from "./arrivals.ts";
import { failed, succeeded } from "./samples.ts";

/** When a webhook is sent, and when not. */
export const sendingChecks: readonly Check[] = [
  {
    id: "webhooks.sent.succeeded",
    title: "When a job has succeeded, an event goes to its webhook_url by POST",
    rules: ["webhook.sent.at-end"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const { deliveries, poll } = await succeeded(session);
      const [first] = deliveries;
      must(first !== undefined, "No webhook came within 30 s of the end of a job.", poll);
      must(first.method === "POST", `A webhook came by ${first.method}, and not by POST.`);
    },
  },
  {
    id: "webhooks.sent.failed",
    title: "When a job has failed, an event goes to its webhook_url, too",
    rules: ["webhook.sent.at-end"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const { deliveries, poll } = await failed(session);
      must(deliveries.length > 0, "No webhook came within 30 s of the failure of a job.", poll);
    },
  },
  {
    id: "webhooks.sent.once",
    title: "A webhook that was taken is not sent again",
    rules: ["webhook.sent.at-end"],
    level: "full",
    on: "any",
    credits: 8,
    async run(session) {
      const hook = session.hook(() => ({ status: 200 }));
      await startTold(session, hook);
      firstOf(await arrived(session, hook, { within: 120_000 }));
      await watched(session, 25_000);
      const { length } = hook.deliveries;
      must(length === 1, `A webhook that was answered 200 was sent ${length} times.`);
    },
  },
  {
    id: "webhooks.sent.at-end",
    title: "No webhook is sent before the job has ended",
    rules: ["webhook.sent.at-end"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const { control } = session.bench;
      // Where it can be said, the job takes its time.
      const slow = { outcome: "succeeded", duration_ms: 6_000, api_key: session.key.token };
      await control?.post("next-job", slow);
      const hook = session.hook(() => ({ status: 200 }));
      const jobId = await startTold(session, hook);
      firstOf(await arrived(session, hook, { within: 120_000 }));
      const poll = await session.poll(jobId);
      const { status } = fieldsOf(poll.json);
      must(
        status !== "running" && status !== "queued",
        `A webhook came while its job was ${String(status)}.`,
        poll,
      );
    },
  },
  {
    id: "webhooks.sent.only-where-asked",
    title:
      "A job without webhook_url sends none, neither to where an earlier job of its key wanted one",
    rules: ["webhook.sent.at-end"],
    level: "safe",
    on: "any",
    credits: 16,
    async run(session) {
      const hook = session.hook(() => ({ status: 200 }));
      await session.end(await startTold(session, hook));
      firstOf(await arrived(session, hook));
      const { length } = hook.deliveries;
      const jobId = await session.start();
      await session.end(jobId);
      await watched(session, 2_000);
      const known = await session.bench.control?.get(`deliveries?job_id=${jobId}`);
      must(
        elementsOf(known?.["deliveries"]).length === 0 && hook.deliveries.length === length,
        "A job without webhook_url has sent a webhook.",
      );
    },
  },
];
