import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type Fields } from "../../wire/response.ts";
import { eventProblems } from "../../wire/document.ts";
import { arrived, eventOf, firstOf, startTold } from "./arrivals.ts";
import { failed, succeeded, type Sample } from "./samples.ts";

const hour = 3_600_000;

/** What the body of a webhook says. */
export const bodyChecks: readonly Check[] = [
  {
    id: "webhooks.body.shape",
    title: "The body of a webhook is as spec/openapi.json says",
    rules: [
      "webhook.body.event",
      "webhook.body.job-id",
      "webhook.body.status",
      "webhook.body.result-url",
      "webhook.body.error-code",
      "webhook.body.error-message",
      "webhook.body.duration-ms",
      "webhook.body.completed-at",
    ],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const { event } = await told(session, succeeded);
      // How times are written is an open point, as long as they are ISO 8601.
      const problems = eventProblems(event).filter(
        (problem) => !(problem.startsWith("completed_at must match format") && isTime(event)),
      );
      must(
        problems.length === 0,
        `The body of a webhook is not as it should be: ${problems.join("; ")}.`,
      );
    },
  },
  {
    id: "webhooks.body.job-id",
    title: "job_id is the id of the job",
    rules: ["webhook.body.job-id"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const { event, jobId } = await told(session, succeeded);
      const { job_id: named } = event;
      must(named === jobId, `job_id is ${String(named)}, and the job is ${jobId}.`);
    },
  },
  sameAsPoll("status", ["webhook.body.status"]),
  sameAsPoll("error_code", ["webhook.body.error-code"]),
  sameAsPoll("error_message", ["webhook.body.error-message"]),
  sameAsPoll("duration_ms", ["webhook.body.duration-ms"]),
  {
    id: "webhooks.body.completed-at",
    title: "completed_at is when the job ended, as a poll tells it",
    rules: ["webhook.body.completed-at"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const { event, polled } = await told(session, succeeded);
      must(event["completed_at"] !== undefined, "The body of a webhook has no completed_at.");
      const [said, known] = [instant(event), instant(polled)];
      if (Number.isNaN(said) || Number.isNaN(known)) {
        throw new SkipCheck("completed_at is no time, which other checks look at.");
      }
      must(
        said === known,
        `completed_at is ${JSON.stringify(event["completed_at"])}, and the poll says ${JSON.stringify(polled["completed_at"])}.`,
      );
    },
  },
  {
    id: "webhooks.body.result-url",
    title: "result_url of a job that succeeded leads to the image",
    rules: ["webhook.body.result-url"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const { event, polled } = await told(session, succeeded);
      if (polled["status"] !== "succeeded") throw new SkipCheck("The job did not succeed.");
      await mustLead(session, event, polled);
    },
  },
  {
    id: "webhooks.body.result-url.day",
    title: "result_url works for a day",
    rules: ["webhook.body.result-url"],
    level: "full",
    on: "any",
    credits: 8,
    async run(session) {
      if (!session.time.virtual) {
        throw new SkipCheck("A day has to pass; a reference server's time can be moved.");
      }
      const hook = session.hook(() => ({ status: 200 }));
      const jobId = await startTold(session, hook);
      await session.end(jobId);
      const event = eventOf(firstOf(await arrived(session, hook)));
      if ((await image(session, event)) !== 200) {
        throw new SkipCheck("result_url does not lead to the image, which other checks look at.");
      }
      await session.time.pass(23 * hour);
      const polled = fieldsOf((await session.poll(jobId)).json);
      await mustLead(session, event, polled);
    },
  },
  {
    id: "webhooks.body.failed",
    title: "The event of a job that failed says so, as a poll does, and has no result_url",
    rules: ["webhook.body.status", "webhook.body.event", "webhook.body.result-url"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const { event, polled } = await told(session, failed);
      for (const field of ["status", "error_code", "error_message"]) {
        const [said, known] = [event[field] ?? null, polled[field] ?? null];
        must(
          said === known,
          `${field} is ${JSON.stringify(said)}, and the poll says ${JSON.stringify(known)}.`,
        );
      }
      const { event: kind, result_url: url = null } = event;
      must(kind === "tryon.completed", `The event of a failure is called ${String(kind)}.`);
      must(url === null, "The event of a job that failed has a result_url.");
    },
  },
];

/** What a webhook says, and what a poll said after the end. */
async function told(
  session: Session,
  sample: (session: Session) => Promise<Sample>,
): Promise<{ event: Fields; polled: Fields; jobId: string }> {
  const { deliveries, poll, jobId } = await sample(session);
  return { event: eventOf(firstOf(deliveries)), polled: fieldsOf(poll.json), jobId };
}

/** A field of the body that is that of the job. */
function sameAsPoll(field: string, rules: readonly string[]): Check {
  return {
    id: `webhooks.body.${field.replace("_", "-")}`,
    title: `${field} is what a poll says`,
    rules,
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const { event, polled } = await told(session, succeeded);
      must(event[field] !== undefined, `The body of a webhook has no ${field}.`);
      must(
        event[field] === (polled[field] ?? null),
        `${field} is ${JSON.stringify(event[field])}, and the poll says ${JSON.stringify(polled[field])}.`,
      );
    },
  };
}

/** The instant of completed_at; a time without a zone is UTC. */
function instant({ completed_at: text }: Fields): number {
  if (typeof text !== "string") return Number.NaN;
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}

function isTime(fields: Fields): boolean {
  const { completed_at: text } = fields;
  return (
    typeof text === "string" && /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(instant(fields))
  );
}

/** @throws Broken unless the event's address leads to an image, Skip when the poll's does not either. */
async function mustLead(session: Session, event: Fields, polled: Fields): Promise<void> {
  const status = await image(session, event);
  if (status === 200) return;
  if ((await image(session, polled)) !== 200) {
    throw new SkipCheck("The poll's result_url does not lead to the image, either.");
  }
  must(
    false,
    `result_url of a webhook leads to ${status ?? "nowhere"}, and that of a poll to the image.`,
  );
}

/** The status at a result's address, or undefined when there is none. */
async function image(session: Session, { result_url: url }: Fields): Promise<number | undefined> {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  return (await session.call("GET", url, { key: null })).status;
}
