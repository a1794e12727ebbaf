import { must, need } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { checkRows, mustHave, mustHaveStatus, oneOf } from "../expectations.ts";
import { mustChangeBalance, skipUnlessStatus } from "./balance.ts";
import { mustHaveMade, needVirtualTime } from "./credits.ts";

const minute = 60_000;
const hour = 60 * minute;

export const idempotencyChecks = checkRows("safe", 16, {
  "idempotency.replay.same-job": {
    title: "Returns the first job when a submission is retried under its key",
    rules: ["submit.idempotency-key.same-body"],
    async run(session) {
      const { first, options } = await submitFirst(session);
      const replay = await session.http.submit({}, options);
      mustHaveStatus(replay, 200, "a retry");
      mustHave(replay, { job_id: jobIdOf(first) }, "the response to a retry");
    },
  },
  "idempotency.replay.first-response": {
    title: "Replays the status of the first response after the job has ended",
    rules: ["submit.idempotency-key.same-body"],
    async run(session) {
      const { first, replay } = await submitFirst(session);
      await session.http.waitForEnd(jobIdOf(first));
      const { status = null } = fieldsOf(first.json);
      mustHave(await replay(), { status: oneOf(status) }, "a replay of the first response");
    },
  },
  "idempotency.replay.free": {
    title: "Takes no credits for a replay",
    rules: ["submit.idempotency-key.same-body"],
    level: "paid",
    async run(session) {
      await session.keys.useNew({ credits: 100 });
      const { first, replay } = await submitFirst(session);
      await session.http.waitForEnd(jobIdOf(first));
      await mustChangeBalance(session, 0, "a replay", replay);
    },
  },
  "idempotency.replay.no-second-job": {
    title: "Makes no second job for a replay",
    rules: ["submit.idempotency-key.same-body"],
    credits: 0,
    newKey: { mode: "test" },
    async run(session) {
      await (await submitFirst(session)).replay();
      await mustHaveMade(session, 1, "a submission and its replay");
    },
  },
  "idempotency.concurrent.one-job": {
    title: "Makes one job of concurrent submissions with one key and one body",
    rules: ["submit.idempotency-key.concurrent"],
    credits: 24,
    async run({ http }) {
      const options = { idempotencyKey: http.unique() };
      const responses = await Promise.all([1, 2, 3].map(() => http.submit({}, options)));
      const jobs = new Set(responses.filter(({ status }) => status === 200).map(idIn));
      const message = `3 concurrent submissions with one key have made ${jobs.size} jobs.`;
      must(jobs.size === 1, message, responses[0]);
    },
  },
  "idempotency.comparison": {
    title: "Compares bodies by their values: order and white space do not count",
    rules: ["submit.idempotency-key.comparison"],
    async run(session) {
      const reversed = Object.fromEntries(Object.entries(session.http.goodRequest()).toReversed());
      const raw = JSON.stringify(reversed, undefined, 2);
      const { options } = await submitFirst(session);
      const what = "the same body in another order, with line breaks";
      mustHaveStatus(await session.http.submit({}, { ...options, raw }), 200, what);
    },
  },
  "idempotency.conflict": {
    title: "Responds with 409 to a key with another body",
    rules: ["submit.idempotency-key.conflict"],
    async run(session) {
      const { options } = await submitFirst(session);
      mustHaveStatus(
        await session.http.submit({ seed: 2 }, options),
        409,
        "a key with another body",
      );
    },
  },
  "idempotency.header.longest": {
    title: "Takes a key of 200 characters, and refuses one of 201",
    rules: ["submit.idempotency-key.max-length"],
    async run({ http }) {
      const longest = http.unique().padEnd(200, "x");
      const taken = await http.submit({}, { idempotencyKey: longest });
      mustHaveStatus(taken, 200, "a key of 200 characters");
      const refused = await http.submit({}, { idempotencyKey: `${longest}x` });
      mustHaveStatus(refused, [400, 422], "a key of 201 characters");
    },
  },
  "idempotency.header.empty": {
    title: "Ignores an empty key: each submission makes a job",
    async run({ http }) {
      const first = await http.submit({ seed: 1 }, { idempotencyKey: "" });
      const second = await http.submit({ seed: 2 }, { idempotencyKey: "" });
      for (const response of [first, second]) {
        mustHaveStatus(response, 200, "a submission with an empty key");
      }
      must(idIn(first) !== idIn(second), "Two submissions with an empty key made one job.", second);
    },
  },
  "idempotency.scope": {
    title: "Separates the idempotency keys of different API keys",
    rules: ["submit.idempotency-key.comparison"],
    credits: 0,
    newKey: {},
    async run(session) {
      const { first, options } = await submitFirst(session);
      const second = await session.http.submit(
        {},
        { ...options, key: await session.keys.sibling() },
      );
      const isSeparate = second.status === 200 && idIn(second) !== jobIdOf(first);
      must(isSeparate, "An idempotency key of one API key counts for another.", second);
    },
  },
  "idempotency.refused": {
    title: "Stores nothing under the key of a submission that it refuses",
    rules: ["submit.idempotency-key.refused"],
    async run({ http }) {
      const options = { idempotencyKey: http.unique() };
      skipUnlessStatus(await http.submit({ person_image_b64: undefined }, options), 400);
      const what = "a good body under the key of a submission with 400";
      mustHaveStatus(await http.submit({}, options), 200, what);
    },
  },
  "idempotency.retention": {
    title: "Keeps a key for a while, and treats it as new after a day",
    rules: ["limits.idempotency-key.retention"],
    level: "full",
    credits: 0,
    async run(session) {
      needVirtualTime(session);
      session.keys.own = await session.keys.make();
      const { first, options, replay } = await submitFirst(session);
      await replay();
      await session.time.pass(30 * minute);
      const soon = await session.http.submit({}, options);
      must(idIn(soon) === idIn(first), "An idempotency key was new after half an hour.", soon);
      await session.time.pass(25 * hour);
      const late = await session.http.submit({}, options);
      const isNew = late.status === 200 && idIn(late) !== idIn(first);
      must(isNew, "An idempotency key was still stored after 25 hours.", late);
    },
  },
});

function idIn({ json }: HttpResponse): unknown {
  return fieldsOf(json)["job_id"];
}

export async function submitFirst({ http }: Session) {
  const options = { idempotencyKey: http.unique() };
  const first = await http.submit({}, options);
  skipUnlessStatus(first, 200);
  const replay = async (): Promise<HttpResponse> => {
    const second = await http.submit({}, options);
    skipUnlessStatus(second, 200);
    const message = "The second response does not replay the first, which has other checks.";
    need(idIn(first) === idIn(second), message);
    return second;
  };
  return { first, options, replay };
}
