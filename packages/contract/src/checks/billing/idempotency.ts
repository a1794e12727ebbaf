import { must, SkipCheck } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import type { Session } from "../../session.ts";
import type { SubmitOptions } from "../../request-options.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { checkGroup, mustHave, mustHaveStatus } from "../expectations.ts";
import { mustCost, payingKey, skipUnlessStatus } from "./balance.ts";
import { mustHaveMade, needVirtualTime } from "./credits.ts";

const minute = 60_000;
const hour = 60 * minute;
const sameBody = "submit.idempotency-key.same-body";
const comparison = "submit.idempotency-key.comparison";
const maxLength = "submit.idempotency-key.max-length";

/** Submissions under an idempotency key. */
export const idempotencyChecks = checkGroup({ level: "safe", on: "any", credits: 16 }, [
  {
    id: "idempotency.replay.same-job",
    title: "Returns the first job when a submission is retried under its key",
    rules: [sameBody],
    async run(session) {
      const { first, replay } = await submitTwice(session);
      mustHaveStatus(replay, 200, "a retry");
      mustHave(replay, { job_id: jobIdOf(first) }, "the response to a retry");
    },
  },
  {
    id: "idempotency.replay.first-response",
    title: "Replays the status of the first response after the job has ended",
    rules: [sameBody],
    async run(session) {
      const { first, replay } = await submitTwice(session, { ended: true });
      skipUnlessReplay(first, replay);
      const [before, after] = [fieldsOf(first.json), fieldsOf(replay.json)];
      must(
        before["status"] === after["status"],
        `The first response has the status ${String(before["status"])}, and the replay ${String(after["status"])}.`,
        replay,
      );
    },
  },
  {
    id: "idempotency.replay.free",
    title: "Takes no credits for a replay",
    rules: [sameBody],
    level: "paid",
    on: "live",
    async run(session) {
      const key = await payingKey(session);
      const options = { key, idempotencyKey: session.unique() };
      const first = await session.submit({}, options);
      skipUnlessStatus(first, 200);
      await session.waitForEnd(jobIdOf(first), { key });
      await mustCost(session, key, { credits: 0, what: "a replay" }, async () =>
        skipUnlessReplay(first, await session.submit({}, options)),
      );
    },
  },
  {
    id: "idempotency.replay.no-second-job",
    title: "Makes no second job for a replay",
    rules: [sameBody],
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ mode: "test" });
      const { first, replay } = await submitTwice(session, { key });
      skipUnlessReplay(first, replay);
      await mustHaveMade(session, key, 1, "a submission and its replay");
    },
  },
  {
    id: "idempotency.concurrent.one-job",
    title: "Makes one job of concurrent submissions with one key and one body",
    rules: ["submit.idempotency-key.concurrent"],
    credits: 24,
    async run(session) {
      const options = { idempotencyKey: session.unique() };
      const responses = await Promise.all([1, 2, 3].map(() => session.submit({}, options)));
      const jobs = new Set(responses.filter(({ status }) => status === 200).map(idIn));
      must(
        jobs.size === 1,
        `3 concurrent submissions with one key have made ${jobs.size} jobs.`,
        responses[0],
      );
    },
  },
  {
    id: "idempotency.comparison",
    title: "Compares bodies by their values: order and white space do not count",
    rules: [comparison],
    async run(session) {
      const options = { idempotencyKey: session.unique() };
      skipUnlessStatus(await session.submit({}, options), 200);
      const reversed = Object.fromEntries(Object.entries(session.goodRequest()).toReversed());
      const raw = JSON.stringify(reversed, undefined, 2);
      const what = "the same body in another order, with line breaks";
      mustHaveStatus(await session.submit({}, { ...options, raw }), 200, what);
    },
  },
  {
    id: "idempotency.conflict",
    title: "Responds with 409 to a key with another body",
    rules: ["submit.idempotency-key.conflict"],
    async run(session) {
      const options = { idempotencyKey: session.unique() };
      skipUnlessStatus(await session.submit({ seed: 1 }, options), 200);
      mustHaveStatus(await session.submit({ seed: 2 }, options), 409, "a key with another body");
    },
  },
  {
    id: "idempotency.header.longest",
    title: "Takes a key of 200 characters, and responds with 422 to one of 201",
    rules: [maxLength],
    async run(session) {
      const longest = session.unique().padEnd(200, "x");
      const taken = await session.submit({}, { idempotencyKey: longest });
      mustHaveStatus(taken, 200, "a key of 200 characters");
      const refused = await session.submit({}, { idempotencyKey: `${longest}x` });
      mustHaveStatus(refused, 422, "a key of 201 characters");
    },
  },
  {
    id: "idempotency.header.empty",
    title: "Ignores an empty key: each submission makes a job",
    rules: [maxLength],
    async run(session) {
      const first = await session.submit({ seed: 1 }, { idempotencyKey: "" });
      const second = await session.submit({ seed: 2 }, { idempotencyKey: "" });
      for (const response of [first, second]) {
        mustHaveStatus(response, 200, "a submission with an empty key");
      }
      must(idIn(first) !== idIn(second), "Two submissions with an empty key made one job.", second);
    },
  },
  {
    id: "idempotency.scope",
    title: "Separates the idempotency keys of different API keys",
    rules: [comparison],
    credits: 0,
    async run(session) {
      const key = await session.freshKey();
      const sibling = await session.siblingKey(key);
      const idempotencyKey = session.unique();
      const first = await session.submit({}, { key, idempotencyKey });
      skipUnlessStatus(first, 200);
      const second = await session.submit({}, { key: sibling, idempotencyKey });
      must(
        second.status === 200 && idIn(second) !== jobIdOf(first),
        "An idempotency key of one API key counts for another.",
        second,
      );
    },
  },
  {
    id: "idempotency.refused",
    title: "Stores nothing under the key of a submission that it refuses",
    rules: [comparison],
    async run(session) {
      const options = { idempotencyKey: session.unique() };
      skipUnlessStatus(await session.submit({ person_image_b64: undefined }, options), 400);
      const what = "a good body under the key of a submission with 400";
      mustHaveStatus(await session.submit({}, options), 200, what);
    },
  },
  {
    id: "idempotency.retention",
    title: "Keeps a key for a while, and treats it as new after a day",
    rules: ["limits.idempotency-key.retention"],
    level: "full",
    credits: 0,
    async run(session) {
      const options = { key: await session.freshKey(), idempotencyKey: session.unique() };
      needVirtualTime(session);
      const first = await session.submit({}, options);
      skipUnlessStatus(first, 200);
      skipUnlessReplay(first, await session.submit({}, options));
      await session.time.pass(30 * minute);
      const soon = await session.submit({}, options);
      must(idIn(soon) === idIn(first), "An idempotency key was new after half an hour.", soon);
      await session.time.pass(25 * hour);
      const late = await session.submit({}, options);
      must(
        late.status === 200 && idIn(late) !== idIn(first),
        "An idempotency key was still stored after 25 hours.",
        late,
      );
    },
  },
]);

function idIn({ json }: HttpResponse): unknown {
  return fieldsOf(json)["job_id"];
}

/** @throws SkipCheck unless a response replays another, which has other checks. */
function skipUnlessReplay(first: HttpResponse, replay: HttpResponse): void {
  skipUnlessStatus(replay, 200);
  if (idIn(first) === idIn(replay)) return;
  throw new SkipCheck("The second response does not replay the first, which has other checks.");
}

/** Sends one submission twice under one idempotency key. */
async function submitTwice(
  session: Session,
  { ended = false, ...options }: SubmitOptions & { readonly ended?: boolean } = {},
): Promise<{ first: HttpResponse; replay: HttpResponse }> {
  const keyed = { ...options, idempotencyKey: session.unique() };
  const first = await session.submit({}, keyed);
  skipUnlessStatus(first, 200);
  if (ended) await session.waitForEnd(jobIdOf(first), options);
  return { first, replay: await session.submit({}, keyed) };
}
