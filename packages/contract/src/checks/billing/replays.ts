import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import type { Session } from "../../session.ts";
import type { SubmitOptions } from "../../calls.ts";
import { elementsOf, fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { mustTake, payingKey, proceedWith } from "./balance.ts";

/** What comes of sending a submission again with its idempotency key. */
export const replayChecks: readonly Check[] = [
  {
    id: "idempotency.replay.same-job",
    title: "A submission that is sent again with its key is answered with the job that it made",
    rules: ["submit.idempotency-key.same-body"],
    level: "safe",
    on: "any",
    credits: 16,
    async run(session) {
      const { first, again } = await twice(session);
      must(again.status === 200, `Sent again, it was answered ${again.status}.`, again);
      const [made, answered] = [jobIdOf(first), fieldsOf(again.json)["job_id"]];
      must(
        answered === made,
        `Sent again, it was answered with ${String(answered)}, and not with ${made}.`,
        again,
      );
    },
  },
  {
    id: "idempotency.replay.first-answer",
    title: "A replay has the status of the first answer, though the job has ended since",
    rules: ["submit.idempotency-key.same-body"],
    level: "safe",
    on: "any",
    credits: 16,
    async run(session) {
      const { first, again } = await twice(session, { ended: true });
      proceedWithReplay(first, again);
      const [before, after] = [fieldsOf(first.json), fieldsOf(again.json)];
      must(
        before["status"] === after["status"],
        `The first answer said ${String(before["status"])}, and the replay says ${String(after["status"])}.`,
        again,
      );
    },
  },
  {
    id: "idempotency.replay.free",
    title: "A replay takes no credits",
    rules: ["submit.idempotency-key.same-body"],
    level: "paid",
    on: "live",
    credits: 16,
    async run(session) {
      const key = await payingKey(session);
      const options = { key, idempotencyKey: session.unique() };
      const first = await session.submit({}, options);
      proceedWith(first, 200);
      await session.end(jobIdOf(first), { key });
      const subject = { credits: 0, what: "A replay" };
      await mustTake(session, key, subject, async () =>
        proceedWithReplay(first, await session.submit({}, options)),
      );
    },
  },
  {
    id: "idempotency.replay.no-second-job",
    title: "A replay makes no second job",
    rules: ["submit.idempotency-key.same-body"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ mode: "test" });
      const { first, again } = await twice(session, { key });
      proceedWithReplay(first, again);
      // A fresh job may be missing from the list for a moment.
      await session.time.pass(1_000);
      const list = await session.call("GET", "/api/v1/tryon", { key });
      const { length } = elementsOf(fieldsOf(list.json)["jobs"]);
      must(length <= 1, `A submission and its replay have made ${length} jobs.`, list);
    },
  },
  {
    id: "idempotency.concurrent.one-job",
    title: "Submissions at once with one key and one body make one job",
    rules: ["submit.idempotency-key.concurrent"],
    level: "safe",
    on: "any",
    credits: 24,
    async run(session) {
      const idempotencyKey = session.unique();
      const answers = await Promise.all(
        [1, 2, 3].map(() => session.submit({}, { idempotencyKey })),
      );
      const made = answers.filter(({ status }) => status === 200);
      const jobs = new Set(made.map(({ json }) => fieldsOf(json)["job_id"]));
      must(
        jobs.size === 1,
        `3 submissions at once with one key have made ${jobs.size} jobs.`,
        answers[0],
      );
    },
  },
  {
    id: "idempotency.comparison",
    title: "Bodies are compared by what they mean: order and white space do not count",
    rules: ["submit.idempotency-key.comparison"],
    level: "safe",
    on: "any",
    credits: 16,
    async run(session) {
      const options = { idempotencyKey: session.unique() };
      const first = await session.submit({}, options);
      proceedWith(first, 200);
      const turned = Object.fromEntries(Object.entries(session.goodRequest()).toReversed());
      const raw = JSON.stringify(turned, undefined, 2);
      const again = await session.submit({}, { ...options, raw });
      must(
        again.status === 200,
        `The same body in another order, with line breaks, was answered ${again.status}.`,
        again,
      );
    },
  },
];

/** @throws Skip unless an answer is a replay of another: that it is one is a claim of its own. */
export function proceedWithReplay(first: HttpResponse, again: HttpResponse): void {
  proceedWith(again, 200);
  if (fieldsOf(first.json)["job_id"] === fieldsOf(again.json)["job_id"]) return;
  throw new SkipCheck("The second answer is no replay of the first, which other checks look at.");
}

/** Sends one submission twice under one idempotency key. */
async function twice(
  session: Session,
  { ended = false, ...options }: SubmitOptions & { readonly ended?: boolean } = {},
): Promise<{ first: HttpResponse; again: HttpResponse }> {
  const keyed = { ...options, idempotencyKey: session.unique() };
  const first = await session.submit({}, keyed);
  proceedWith(first, 200);
  if (ended) await session.end(jobIdOf(first), options);
  return { first, again: await session.submit({}, keyed) };
}
