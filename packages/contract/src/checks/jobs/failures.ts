import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import { fieldsOf } from "../../wire/response.ts";
import { follow, isNone, mustHaveGone, ownKey, steer } from "./journey.ts";

const free = { level: "safe", on: "any", credits: 8 } as const;

/** The ways in which a job fails after the model was reached. */
const reasons = ["model_rejected", "content_blocked", "storage_failed"] as const;

/** Jobs that fail, which takes a deployment that can be made to let them. */
export const failures: readonly Check[] = [
  {
    ...free,
    credits: 24,
    id: "failure.running-to-failed",
    title: "A job fails when the model rejects it, its content is blocked or it cannot be stored",
    rules: ["states.running.failed"],
    async run(session) {
      for (const reason of reasons) {
        const life = await follow(session, {}, reason);
        mustHaveGone(life);
        const { status } = life.job;
        must(status === "failed", `After ${reason} the job is ${String(status)}.`, life.ended);
      }
    },
  },
  {
    ...free,
    credits: 24,
    id: "failure.error-fields",
    title: "A job that failed has an error_code and an error_message",
    rules: [
      "job.error-code.failed-only",
      "job.error-message.failed-only",
      "errors.after-model.other-codes",
    ],
    async run(session) {
      for (const reason of reasons) {
        const life = await follow(session, {}, reason);
        for (const name of ["error_code", "error_message"]) {
          const text = life.job[name];
          must(
            typeof text === "string" && text !== "",
            `After ${reason} the ${name} is ${JSON.stringify(text)}.`,
            life.ended,
          );
        }
      }
    },
  },
  {
    ...free,
    id: "failure.no-result",
    title: "A job that failed has no result_url and no figures of a result",
    rules: ["job.result-url.succeeded-only"],
    async run(session) {
      const { job, ended } = await follow(session, {}, "model_rejected");
      for (const name of ["result_url", "result_width", "result_height", "result_bytes"]) {
        must(isNone(job[name]), `A job that failed has a ${name}.`, ended);
      }
    },
  },
  {
    ...free,
    id: "failure.content-blocked",
    title: "A job refused for its content says generation_failed and content_blocked",
    rules: ["content.blocked.outcome"],
    async run(session) {
      const { job, ended } = await follow(session, {}, "content_blocked");
      const { error_code: code, error_message: message } = job;
      must(
        code === "generation_failed" && message === "content_blocked",
        `It says ${JSON.stringify(code)} and ${JSON.stringify(message)}.`,
        ended,
      );
    },
  },
  {
    ...free,
    credits: 24,
    id: "failure.held",
    title: "A held call whose job fails answers 200 with both error fields",
    rules: [
      "errors.after-model.http-200",
      "submit-response.error-code.on-failure",
      "submit-response.error-message.on-failure",
    ],
    async run(session) {
      const key = await ownKey(session);
      for (const outcome of reasons) {
        await steer(session, key, { outcome });
        const { answer } = await session.held({}, { key });
        if (answer.status === 504) throw new SkipCheck("A proxy ended the held call too early.");
        must(answer.status === 200, `After ${outcome} it was answered ${answer.status}.`, answer);
        const fields = fieldsOf(answer.json);
        must(fields["status"] === "failed", `After ${outcome} it does not say failed.`, answer);
        for (const name of ["job_id", "error_code", "error_message"]) {
          const text = fields[name];
          must(
            typeof text === "string" && text !== "",
            `After ${outcome} the ${name} is ${JSON.stringify(text)}.`,
            answer,
          );
        }
      }
    },
  },
  {
    ...free,
    id: "failure.held.no-result",
    title: "A held call whose job fails has no result_url",
    rules: ["submit-response.result-url.sync-success-only"],
    async run(session) {
      const key = await ownKey(session);
      await steer(session, key, { outcome: "model_rejected" });
      const { answer } = await session.held({}, { key });
      const { result_url: address } = fieldsOf(answer.json);
      must(isNone(address), "The answer for a job that failed has a result_url.", answer);
    },
  },
];
