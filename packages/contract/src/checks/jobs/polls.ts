import { randomInt } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import { fieldsOf } from "../../wire/response.ts";
import {
  finished,
  follow,
  followSuccess,
  isEnd,
  isNone,
  mustHaveGone,
  ownKey,
  seen,
  strangersTo,
} from "./journey.ts";

const free = { level: "safe", on: "any", credits: 8 } as const;

export const polls: readonly Check[] = [
  {
    ...free,
    credits: 16,
    id: "poll.own-id",
    title: "A poll answers with the job that was asked for",
    rules: ["poll.request-and-answer"],
    async run(session) {
      const key = await ownKey(session);
      const ids = [await session.start({}, { key }), await session.start({}, { key })];
      for (const jobId of ids) {
        const answer = await seen(session, jobId, key);
        const { job_id: told } = fieldsOf(answer.json);
        must(told === jobId, `A poll of ${jobId} answered with ${String(told)}.`, answer);
      }
    },
  },
  {
    ...free,
    credits: 0,
    id: "poll.unknown",
    title: "A job that there is not is a 404",
    rules: ["poll.404.unknown-job"],
    async run(session) {
      const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
      const id = Array.from({ length: 24 }, () => letters[randomInt(letters.length)]).join("");
      const answer = await session.poll(`job_${id}`);
      must(answer.status === 404, `An unknown job was answered ${answer.status}.`, answer);
    },
  },
  {
    ...free,
    id: "poll.other-key",
    title: "A job of another key is a 404 as if it were not there",
    rules: ["poll.404.job-of-another-key"],
    async run(session) {
      const key = await ownKey(session);
      const jobId = await session.start({}, { key });
      await seen(session, jobId, key);
      for (const stranger of strangersTo(session, key)) {
        const answer = await session.poll(jobId, { key: stranger });
        must(answer.status === 404, `It was answered ${answer.status} to another key.`, answer);
      }
    },
  },
  {
    ...free,
    id: "job.result-url.only-on-success",
    title: "result_url of a job is null before its end and an address once it has succeeded",
    rules: ["job.result-url.succeeded-only"],
    async run(session) {
      const life = await followSuccess(session);
      for (const answer of life.going) {
        const { result_url: early } = fieldsOf(answer.json);
        must(isNone(early), "A job that goes on has a result_url.", answer);
      }
      const { result_url: address } = life.job;
      must(typeof address === "string", "A job that succeeded has no result_url.", life.ended);
    },
  },
  {
    ...free,
    id: "job.seed",
    title: "Every poll of a job has the seed of its request",
    rules: ["job.seed.used"],
    async run(session) {
      const life = await follow(session, { seed: 0 });
      for (const answer of [...life.going, life.ended]) {
        const { seed } = fieldsOf(answer.json);
        must(seed === 0, `The seed 0 is ${JSON.stringify(seed)} on a poll.`, answer);
      }
    },
  },
  {
    ...free,
    credits: 16,
    id: "job.metadata",
    title: "Every poll of a job has the metadata of its request, unchanged",
    rules: ["job.metadata.echo"],
    async run(session) {
      const metadata = { sku: "LS-204 ", Größe: "  M\n", empty: "", "0": "1" };
      const life = await follow(session, { metadata });
      for (const answer of [...life.going, life.ended]) {
        const { metadata: echo } = fieldsOf(answer.json);
        must(
          isDeepStrictEqual(echo, metadata),
          `The metadata ${JSON.stringify(metadata)} is ${JSON.stringify(echo)} on a poll.`,
          answer,
        );
      }
      const { answer, job } = await finished(session, {}, { key: life.key });
      must(isNone(job["metadata"]), "A job without metadata has some.", answer);
    },
  },
  {
    ...free,
    id: "job.no-error",
    title: "A job that has not failed has no error_code and no error_message",
    rules: ["job.error-code.failed-only", "job.error-message.failed-only"],
    async run(session) {
      const life = await followSuccess(session);
      for (const answer of [...life.going, life.ended]) {
        const fields = fieldsOf(answer.json);
        for (const name of ["error_code", "error_message"]) {
          must(isNone(fields[name]), `A job that has not failed has an ${name}.`, answer);
        }
      }
    },
  },
  {
    ...free,
    id: "job.duration-ms",
    title: "duration_ms of a job is null until it ends, and a number of milliseconds then",
    rules: ["job.duration-ms.at-end"],
    async run(session) {
      const life = await follow(session);
      for (const answer of life.going) {
        const { duration_ms: early } = fieldsOf(answer.json);
        must(isNone(early), `A job that goes on has duration_ms ${String(early)}.`, answer);
      }
      const { duration_ms: duration } = life.job;
      must(
        Number.isInteger(duration) && Number(duration) >= 0,
        `A job that has ended has duration_ms ${JSON.stringify(duration)}.`,
        life.ended,
      );
    },
  },
  {
    ...free,
    id: "states.never-back",
    title: "A job goes from queued to running to its end, and never back",
    rules: ["states.terminal.final"],
    async run(session) {
      const life = await follow(session);
      mustHaveGone(life);
      let furthest = 0;
      // An answer to a submission that says the end at once is another check's.
      const { status: first } = fieldsOf(life.submitted.json);
      const start = isEnd(first) ? [] : [life.submitted];
      for (const answer of [...start, ...life.going, life.ended]) {
        const { status } = fieldsOf(answer.json);
        const at = isEnd(status) ? 2 : status === "queued" ? 0 : 1;
        must(at >= furthest, `The job went back to ${String(status)}.`, answer);
        furthest = at;
      }
    },
  },
];
