import type { Check } from "../../check.ts";
import { must, need } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { isEnd } from "../../submission.ts";
import { instantOf } from "../../wire/instant.ts";
import { fieldsOf, type Fields, type HttpResponse } from "../../wire/response.ts";
import {
  absent,
  checkRows,
  checkTable,
  isNone,
  mustHave,
  mustHaveStatus,
  nonEmptyText,
  oneOf,
  type Expectations,
} from "../expectations.ts";
import { needRunning, runJob, keysOfOtherAccounts } from "./job-run.ts";
import { gatewayOf } from "../../wire/gateway.ts";
import { failureReasons, metadata } from "./submissions.ts";

interface JobCase {
  readonly request?: Fields;
  readonly outcomes?: readonly string[];
  readonly running?: Expectations;
  readonly ended?: Expectations;
  readonly every?: Expectations;
}

export const polls: readonly Check[] = [
  ...checkTable<JobCase>("safe", ({ outcomes }) => 8 * (outcomes?.length ?? 1), mustRunAs, {
    "job.result-url.only-on-success": {
      title: "Has a result_url in a poll only once the job has succeeded",
      rules: ["job.result-url.succeeded-only"],
      running: { result_url: absent },
      ended: { status: "succeeded", result_url: nonEmptyText },
    },
    "job.result-content-type": {
      title: "Has the result_content_type image/png in a job that succeeded",
      rules: ["job.result-content-type.png"],
      ended: { status: "succeeded", result_content_type: "image/png" },
    },
    "job.seed": {
      title: "Has the seed of the request in every poll",
      rules: ["job.seed.used"],
      request: { seed: 0 },
      every: { seed: 0 },
    },
    "job.no-error": {
      title: "Has no error_code and no error_message in a job that has not failed",
      rules: ["job.error-code.failed-only", "job.error-message.failed-only"],
      ended: { status: "succeeded" },
      every: { error_code: absent, error_message: absent },
    },
    "job.duration-ms": {
      title: "Has duration_ms only in a job that has ended, in whole milliseconds",
      rules: ["job.duration-ms.at-end"],
      running: { duration_ms: absent },
      ended: {
        duration_ms: {
          text: "a whole number of at least 0",
          passes: (value) => Number.isInteger(value) && Number(value) >= 0,
        },
      },
    },
    "failure.running-to-failed": {
      title: "Ends a job as failed when the model, the content check or the storage fails",
      rules: ["states.running.failed"],
      outcomes: failureReasons,
      running: { status: oneOf("queued", "running") },
      ended: { status: "failed" },
    },
    "failure.error-fields": {
      title: "Has an error_code and an error_message in a job that failed",
      rules: ["job.error-code.failed-only", "job.error-message.failed-only"],
      outcomes: failureReasons,
      ended: { error_code: nonEmptyText, error_message: nonEmptyText },
    },
    "failure.no-result": {
      title: "Has no result_url in a job that failed",
      rules: ["job.result-url.succeeded-only"],
      outcomes: ["model_rejected"],
      ended: { result_url: absent },
    },
    "failure.content-blocked": {
      title: "Has generation_failed and content_blocked in a job whose content is disallowed",
      rules: ["content.blocked.outcome"],
      outcomes: ["content_blocked"],
      ended: { error_code: "generation_failed", error_message: "content_blocked" },
    },
  }),
  ...checkRows("safe", 8, {
    "job.metadata": {
      credits: 16,
      title: "Has the metadata of the request, unchanged, in every poll",
      rules: ["job.metadata.echo"],
      async run(session) {
        await mustRunAs(session, { request: { metadata }, every: { metadata: oneOf(metadata) } });
        await mustRunAs(session, { ended: { metadata: absent } });
      },
    },
    "poll.own-id": {
      credits: 16,
      title: "Responds to a poll with the requested job",
      rules: ["poll.request-and-answer"],
      async run({ http }) {
        for (const job_id of [await http.start(), await http.start()]) {
          mustHave(await http.pollVisible(job_id), { job_id }, "the poll of that job");
        }
      },
    },
    "poll.unknown": {
      credits: 0,
      title: "Responds with 404 for an unknown job",
      rules: ["poll.404.unknown-job"],
      async run({ http }) {
        const response = await http.poll(http.unknownJobId());
        mustHaveStatus(response, 404, "an unknown job");
      },
    },
    "poll.other-key": {
      title: "Responds with 404 for a job of another key",
      rules: ["poll.404.job-of-another-key"],
      async run(session) {
        const jobId = await session.http.start();
        await session.http.pollVisible(jobId);
        for (const key of keysOfOtherAccounts(session)) {
          mustHaveStatus(await session.http.poll(jobId, { key }), 404, "a job of another key");
        }
      },
    },
    "states.never-back": {
      title: "Moves a job from queued to running to its end, never back",
      rules: ["states.terminal.final"],
      async run(session) {
        const job = await runJob(session);
        needRunning(job);
        let furthest = 0;
        // Another check fails for a submission whose first response has an end.
        const start = isEnd(fieldsOf(job.submitted.json)["status"]) ? [] : [job.submitted];
        for (const response of [...start, ...job.running, job.ended]) {
          const { status } = fieldsOf(response.json);
          const step = isEnd(status) ? 2 : status === "queued" ? 0 : 1;
          must(step >= furthest, `The job went back to ${String(status)}.`, response);
          furthest = step;
        }
      },
    },
    "job.created-at.form": {
      title: "Writes created_at to the second and in UTC",
      rules: ["job.created-at.form"],
      async run(session) {
        const { ended } = await runJob(session);
        const { created_at: created } = fieldsOf(ended.json);
        need(!isNone(created), "The job has no created_at, which is optional.");
        mustHave(ended, { created_at: utcSeconds }, "the last poll");
      },
    },
    "job.created-at.when": {
      title: "Has the time of the submission in created_at of every poll",
      rules: ["job.created-at.form"],
      async run(session) {
        const { submitted, running, ended } = await runJob(session);
        for (const response of [...running, ended]) {
          const { created_at: text } = fieldsOf(response.json);
          const created = instantOf(text);
          need(created !== undefined, "The job has no readable created_at.");
          const apart = Math.abs(created - requireDate(submitted));
          const date = String(submitted.headers.get("date"));
          const message = `created_at is ${String(text)}, but the job was submitted on ${date}.`;
          must(apart <= tolerance(session), message, response);
        }
      },
    },
    "job.completed-at": {
      title: "Has the time of the end in completed_at, and null before the end",
      rules: ["job.completed-at.at-end"],
      async run(session) {
        const { submitted, running, ended } = await runJob(session);
        for (const response of running) {
          mustHave(response, { completed_at: absent }, "a poll of a running job");
        }
        const { completed_at: text } = fieldsOf(ended.json);
        const completed = instantOf(text);
        const message = `completed_at is ${JSON.stringify(text)} after the end.`;
        must(completed !== undefined, message, ended);
        const from = requireDate(running.at(-1) ?? submitted) - tolerance(session);
        const to = requireDate(ended) + tolerance(session);
        const date = String(ended.headers.get("date"));
        const late = `completed_at is ${String(text)}, but the job ended by ${date}.`;
        must(from <= completed && completed <= to, late, ended);
      },
    },
  }),
];

async function mustRunAs(session: Session, job: JobCase): Promise<void> {
  const { request, outcomes = ["succeeded"], running = {}, ended, every = {} } = job;
  for (const outcome of outcomes) {
    const run = await runJob(session, request, outcome);
    if (running["status"] !== undefined) needRunning(run);
    for (const response of run.running) {
      mustHave(response, { ...every, ...running }, "a poll of a running job");
    }
    mustHave(run.ended, { ...every, ...ended }, `the last poll of a job set to ${outcome}`);
  }
}

/** Time to the second, in UTC. An offset for `Z`, or no zone, is an open point. */
const utcSeconds = {
  text: "of the form 2026-01-31T08:05:00Z",
  passes: (value: unknown): boolean =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|\+00:00)?$/.test(String(value)) &&
    instantOf(value) !== undefined,
};

/** Maximum difference of two clocks of a deployment. A reference server has one clock and cuts times to seconds. */
function tolerance({ time }: Session): number {
  return time.virtual ? 2_000 : 30_000;
}

function requireDate(response: HttpResponse): number {
  const gateway = gatewayOf(response);
  need(
    gateway === undefined,
    `The Date of responses is that of ${gateway}, which has its own clock.`,
  );
  const date = Date.parse(response.headers.get("date") ?? "");
  need(!Number.isNaN(date), "Responses have no Date to compare times with.");
  return date;
}
