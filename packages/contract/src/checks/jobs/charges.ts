import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import { fieldsOf } from "../../wire/response.ts";
import { heldSuccess, ownKey, seen } from "./journey.ts";

const paid = { level: "paid", on: "live" } as const;

/** What answers say of credits, held against the balance. */
export const charges: readonly Check[] = [
  {
    ...paid,
    credits: 12,
    id: "submit-answer.cost-credits",
    title: "cost_credits of a submission is what the balance went down by",
    rules: ["submit-response.cost-credits.charged"],
    async run(session) {
      const key = await ownKey(session);
      const before = await session.balance(key);
      const answer = await session.submit({ output_size: "2K" }, { key });
      const after = await session.balance(key);
      const { cost_credits: cost } = fieldsOf(answer.json);
      // An answer that does not wait may leave it out: that is an open point.
      if (cost === undefined) return;
      const taken = before - after;
      must(
        cost === taken,
        `It says cost_credits ${JSON.stringify(cost)}, and ${taken} were taken.`,
        answer,
      );
    },
  },
  {
    ...paid,
    credits: 8,
    id: "submit-answer.credits-remaining",
    title: "credits_remaining of a submission is the balance after it",
    rules: ["submit-response.credits-remaining.balance"],
    async run(session) {
      const key = await ownKey(session);
      const answer = await heldSuccess(session, {}, { key });
      const { credits_remaining: remaining } = fieldsOf(answer.json);
      if (typeof remaining !== "number") return;
      const balance = await session.balance(key);
      must(
        remaining === balance,
        `It says credits_remaining ${remaining}, and the account ${balance}.`,
        answer,
      );
    },
  },
  {
    ...paid,
    credits: 12,
    id: "job.cost-credits",
    title: "cost_credits of a job is what the balance went down by, before and after its end",
    rules: ["job.cost-credits.charged"],
    async run(session) {
      const key = await ownKey(session);
      const before = await session.balance(key);
      const submitted = await session.submit({ output_size: "2K" }, { key });
      const taken = before - (await session.balance(key));
      const jobId = jobIdOf(submitted);
      for (const answer of [await seen(session, jobId, key), await session.end(jobId, { key })]) {
        const { cost_credits: cost } = fieldsOf(answer.json);
        must(
          cost === taken,
          `The job says cost_credits ${String(cost)}, and ${taken} were taken.`,
          answer,
        );
      }
    },
  },
];
