import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import { fieldsOf } from "../../wire/response.ts";
import { proceedWith } from "./balance.ts";
import { proceedWithReplay } from "./replays.ts";

const minute = 60_000;
const hour = 60 * minute;

/** What an idempotency key may be, whose it is, and how long it is remembered. */
export const idempotencyKeyChecks: readonly Check[] = [
  {
    id: "idempotency.conflict",
    title: "A key that comes back with another body is a 409",
    rules: ["submit.idempotency-key.conflict"],
    level: "safe",
    on: "any",
    credits: 16,
    async run(session) {
      const options = { idempotencyKey: session.unique() };
      proceedWith(await session.submit({ seed: 1 }, options), 200);
      const answer = await session.submit({ seed: 2 }, options);
      must(
        answer.status === 409,
        `A key with another body was answered ${answer.status}, and not 409.`,
        answer,
      );
    },
  },
  {
    id: "idempotency.header.longest",
    title: "A key of 200 characters is taken, and one of 201 is a 422",
    rules: ["submit.idempotency-key.max-length"],
    level: "safe",
    on: "any",
    credits: 16,
    async run(session) {
      const longest = session.unique().padEnd(200, "x");
      const taken = await session.submit({}, { idempotencyKey: longest });
      must(
        taken.status === 200,
        `A key of 200 characters was answered ${taken.status}, and not 200.`,
        taken,
      );
      const refused = await session.submit({}, { idempotencyKey: `${longest}x` });
      must(
        refused.status === 422,
        `A key of 201 characters was answered ${refused.status}, and not 422.`,
        refused,
      );
    },
  },
  {
    id: "idempotency.header.empty",
    title: "An empty key is none: each submission makes a job",
    rules: ["submit.idempotency-key.max-length"],
    level: "safe",
    on: "any",
    credits: 16,
    async run(session) {
      const answers = [
        await session.submit({ seed: 1 }, { idempotencyKey: "" }),
        await session.submit({ seed: 2 }, { idempotencyKey: "" }),
      ];
      for (const answer of answers) {
        must(
          answer.status === 200,
          `A submission with an empty key was answered ${answer.status}, and not 200.`,
          answer,
        );
      }
      const jobs = new Set(answers.map(({ json }) => fieldsOf(json)["job_id"]));
      must(jobs.size === 2, "Two submissions with an empty key have made one job.", answers[1]);
    },
  },
  {
    id: "idempotency.scope",
    title: "Keys of different API keys have nothing to do with each other",
    rules: ["submit.idempotency-key.comparison"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const mine = await session.freshKey();
      const sibling = await session.freshKey(
        mine.accountId === undefined ? {} : { account_id: mine.accountId },
      );
      const idempotencyKey = session.unique();
      const first = await session.submit({}, { key: mine, idempotencyKey });
      proceedWith(first, 200);
      const second = await session.submit({}, { key: sibling, idempotencyKey });
      must(
        second.status === 200 && fieldsOf(second.json)["job_id"] !== jobIdOf(first),
        "An idempotency key of one API key counts for another.",
        second,
      );
    },
  },
  {
    id: "idempotency.refused",
    title: "A submission that was refused leaves nothing under its key",
    rules: ["submit.idempotency-key.comparison"],
    level: "safe",
    on: "any",
    credits: 16,
    async run(session) {
      const options = { idempotencyKey: session.unique() };
      proceedWith(await session.submit({ person_image_b64: undefined }, options), 400);
      const answer = await session.submit({}, options);
      must(
        answer.status === 200,
        `After a 400, a good body under the same key was answered ${answer.status}.`,
        answer,
      );
    },
  },
  {
    id: "idempotency.retention",
    title: "A key is remembered for a while, and new again after a day",
    rules: ["limits.idempotency-key.retention"],
    level: "full",
    on: "any",
    credits: 0,
    async run(session) {
      const options = { key: await session.freshKey(), idempotencyKey: session.unique() };
      if (!session.time.virtual) {
        throw new SkipCheck("A day has to pass; a reference server's time can be moved.");
      }
      const first = await session.submit({}, options);
      proceedWith(first, 200);
      proceedWithReplay(first, await session.submit({}, options));
      const made = jobIdOf(first);
      await session.time.pass(30 * minute);
      const soon = await session.submit({}, options);
      must(
        fieldsOf(soon.json)["job_id"] === made,
        "After half an hour an idempotency key was forgotten.",
        soon,
      );
      await session.time.pass(25 * hour);
      const late = await session.submit({}, options);
      must(
        late.status === 200 && fieldsOf(late.json)["job_id"] !== made,
        "After 25 hours an idempotency key was still remembered.",
        late,
      );
    },
  },
];
