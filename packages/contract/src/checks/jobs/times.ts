import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { dateOf, instantOf } from "../../wire/instant.ts";
import { follow, isNone } from "./journey.ts";

const free = { level: "safe", on: "any", credits: 8 } as const;

/** To the second, and in UTC; that `Z` may be written as an offset or left out is an open point. */
const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|\+00:00)?$/;

export const times: readonly Check[] = [
  {
    ...free,
    id: "job.created-at.form",
    title: "created_at is written to the second and in UTC",
    rules: ["job.created-at.form"],
    async run(session) {
      const { ended, job } = await follow(session);
      const { created_at: created } = job;
      if (isNone(created))
        throw new SkipCheck("The job has no created_at, which it need not have.");
      must(
        form.test(String(created)) && instantOf(created) !== undefined,
        `created_at is ${JSON.stringify(created)}, and not of the form 2026-01-31T08:05:00Z.`,
        ended,
      );
    },
  },
  {
    ...free,
    id: "job.created-at.when",
    title: "created_at is when the job was submitted, at every poll",
    rules: ["job.created-at.form"],
    async run(session) {
      const { submitted, going, ended } = await follow(session);
      for (const answer of [...going, ended]) {
        const { created_at: text } = fieldsOf(answer.json);
        const created = instantOf(text);
        if (created === undefined)
          throw new SkipCheck("The job has no created_at that can be read.");
        const apart = Math.abs(created - dateMust(submitted));
        must(
          apart <= slack(session),
          `created_at is ${String(text)}, and the job was submitted on ${String(submitted.headers.get("date"))}.`,
          answer,
        );
      }
    },
  },
  {
    ...free,
    id: "job.completed-at",
    title: "completed_at is null until the job ends, and from then on when that was",
    rules: ["job.completed-at.at-end"],
    async run(session) {
      const { submitted, going, ended, job } = await follow(session);
      for (const answer of going) {
        const { completed_at: early } = fieldsOf(answer.json);
        must(isNone(early), `A job that goes on has completed_at ${String(early)}.`, answer);
      }
      const { completed_at: text } = job;
      const completed = instantOf(text);
      must(
        completed !== undefined,
        `completed_at is ${JSON.stringify(text)} after the end.`,
        ended,
      );
      const from = dateMust(going.at(-1) ?? submitted) - slack(session);
      const to = dateMust(ended) + slack(session);
      must(
        from <= completed && completed <= to,
        `completed_at is ${String(text)}, and the end was seen on ${String(ended.headers.get("date"))}.`,
        ended,
      );
    },
  },
];

/** How far two clocks of a deployment may be apart; a reference server has one, and cuts times to seconds. */
function slack({ time }: Session): number {
  return time.virtual ? 2_000 : 30_000;
}

/** @throws Skip when an answer does not say when it was given. */
function dateMust(answer: HttpResponse): number {
  const date = dateOf(answer);
  if (date === undefined)
    throw new SkipCheck("Answers have no Date to hold the times of jobs against.");
  return date;
}
