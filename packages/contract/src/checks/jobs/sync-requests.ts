import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import type { Key } from "../../check-context.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { isNone, ownKey, steer } from "./journey.ts";
import { idsOf, pageOf } from "./pages.ts";

const slow = { level: "full", on: "any", credits: 8 } as const;

/** How long a call is held at most, in milliseconds. */
const hold = 90_000;

/** What a held call does whose job takes longer than it is held. */
export const syncRequests: readonly Check[] = [
  {
    ...slow,
    id: "held.limit",
    title: "A held call whose job is not done after 90 seconds answers then, with a running job",
    rules: ["states.sync.running-at-limit"],
    async run(session) {
      const { answer, took } = await heldToLimit(session, await ownKey(session));
      refuseCut(answer);
      const { job_id: jobId, status, message } = fieldsOf(answer.json);
      must(answer.status === 200, `It was answered ${answer.status}, and not 200.`, answer);
      must(
        status === "running" || status === "queued",
        `The job is ${String(status)} after 90 s, and not running.`,
        answer,
      );
      must(typeof jobId === "string" && !isNone(message), "There is no job_id or message.", answer);
      must(
        took >= hold - 1_500 && took <= hold + 8_000,
        `It was answered after ${(took / 1_000).toFixed(1)} s, and not after 90.`,
        answer,
      );
    },
  },
  {
    ...slow,
    id: "held.limit.message",
    title: "The answer at the limit of a held call names the address to poll",
    rules: ["submit-response.message.names-poll-path"],
    async run(session) {
      const { answer } = await heldToLimit(session, await ownKey(session));
      refuseCut(answer);
      const { message } = fieldsOf(answer.json);
      must(
        String(message).includes("/api/v1/tryon/"),
        `The message is ${JSON.stringify(message)}, which does not name GET /api/v1/tryon/{job_id}.`,
        answer,
      );
    },
  },
  {
    ...slow,
    id: "held.limit.job-goes-on",
    title: "A job goes on after the held call was answered without it",
    rules: ["states.sync.job-goes-on"],
    async run(session) {
      const key = await ownKey(session);
      await heldToLimit(session, key);
      // A call that was cut short does not tell the job's id, but the key has no other job.
      const [jobId] = idsOf(await pageOf(session, key, { limit: "1" }));
      must(jobId !== undefined, "The job of a held call is not on the list of its key.");
      const ended = await session.end(jobId, { key });
      const { status } = fieldsOf(ended.json);
      must(status === "succeeded", `The job ended ${String(status)}, and not succeeded.`, ended);
    },
  },
  {
    level: "safe",
    on: "any",
    credits: 8,
    id: "held.waits",
    title: "A held call is answered when its job ends, and not before",
    rules: ["states.sync.succeeded"],
    async run(session) {
      const key = await ownKey(session);
      await steer(session, key, { outcome: "succeeded", duration_ms: 8_000 });
      const { answer, took } = await session.held({}, { key });
      refuseCut(answer);
      // A deployment may let the job wait before it runs.
      must(
        took >= 7_500 && took <= 45_000,
        `The job took 8 s, and the call was answered after ${(took / 1_000).toFixed(1)} s.`,
        answer,
      );
    },
  },
];

/** Holds a call whose job takes longer than the limit. @throws Skip without the control API. */
async function heldToLimit(
  session: Session,
  key: Key,
): Promise<{ answer: HttpResponse; took: number }> {
  await steer(session, key, { outcome: "succeeded", duration_ms: hold + 30_000 });
  const idempotencyKey = session.unique("held");
  const from = session.time.now();
  const call = session.submit({ wait: true }, { key, idempotencyKey });
  const answer = await session.passing(call, idempotencyKey, 3_000);
  const took = session.time.now() - from;
  // The job is not left behind in the way of others.
  if (session.time.virtual) await session.time.pass(Math.max(0, hold + 31_000 - took));
  return { answer, took };
}

/** @throws Skip when a proxy did not hold the call to its end, which is an open point. */
function refuseCut({ status }: HttpResponse): void {
  if (status === 504) throw new SkipCheck("A proxy ends held calls before 90 s are over.");
}
