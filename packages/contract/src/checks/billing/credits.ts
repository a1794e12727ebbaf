import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import type { Key } from "../../check-context.ts";
import type { Session } from "../../session.ts";
import { elementsOf, fieldsOf } from "../../wire/response.ts";
import { proceedWith, readBalance } from "./balance.ts";
import { failedJob } from "./failed-job.ts";

const day = 86_400_000;

/** How credits are taken, kept and accounted for. */
export const creditChecks: readonly Check[] = [
  {
    id: "credits.at-once",
    title:
      "Of many submissions at once just as many succeed as the balance holds, and it never goes below 0",
    rules: ["credits.deducted.atomically"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ credits: 31 });
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => session.submit({}, { key })),
      );
      const taken = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status === 402);
      must(
        taken.length === 3 && refused.length === 3,
        `Of 6 submissions at once with credits for 3, ${taken.length} were taken and ${refused.length} answered 402.`,
        answers[0],
      );
      const { json } = await session.account({ key });
      const { credits_remaining: balance } = fieldsOf(json);
      must(!(Number(balance) < 0), `The balance is ${String(balance)}, and below 0.`);
    },
  },
  {
    id: "credits.too-few",
    title: "A submission that costs more than the balance is a 402, and no job comes of it",
    rules: ["submit.402.too-few-credits", "credits.bought-beforehand"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ credits: 19 });
      const answer = await session.submit({ output_size: "4K" }, { key });
      must(
        answer.status === 402,
        `With 19 credits a submission for 20 was answered ${answer.status}, and not 402.`,
        answer,
      );
      // A fresh job may be missing from the list for a moment.
      await session.time.pass(1_000);
      const list = await session.call("GET", "/api/v1/tryon", { key });
      const { length } = elementsOf(fieldsOf(list.json)["jobs"]);
      must(length === 0, "A submission that was answered 402 has left a job in the list.", list);
    },
  },
  {
    id: "credits.enough",
    title: "A balance of just the price pays for a try-on",
    rules: ["submit.402.too-few-credits"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ credits: 12 });
      const answer = await session.submit({ output_size: "2K" }, { key });
      must(
        answer.status === 200,
        `With 12 credits a submission for 12 was answered ${answer.status}, and not 200.`,
        answer,
      );
    },
  },
  {
    id: "credits.before-generation",
    title: "Credits are taken before the image is made",
    rules: ["credits.deducted.before-generation"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ credits: 50 });
      await session.control.post("next-job", {
        outcome: "succeeded",
        duration_ms: 20_000,
        api_key: key.token,
      });
      const answer = await session.submit({}, { key });
      proceedWith(answer, 200);
      const balance = await readBalance(session, key);
      must(
        balance < 50,
        "While a try-on was running, the balance was what it had been before.",
        answer,
      );
    },
  },
  {
    id: "credits.never-expire",
    title: "Credits that are not used stay on the balance",
    rules: ["credits.bought-beforehand"],
    level: "full",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ credits: 40 });
      const before = await readBalance(session, key);
      if (!session.time.virtual) {
        throw new SkipCheck("Over a year has to pass; a reference server's time can be moved.");
      }
      await session.time.pass(400 * day);
      const after = await readBalance(session, key);
      must(after === before, `After 400 days ${before} credits have become ${after}.`);
    },
  },
  {
    id: "credits.ledger",
    title: "The balance is at all times the sum of what was given and taken",
    rules: ["credits.deducted.atomically"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ credits: 64 });
      await session.whole({}, { key });
      await failedJob(session, key, "model_rejected");
      const ledger = await session.control.get(`ledger?api_key=${key.token}`);
      const sum = elementsOf(ledger["entries"])
        .map((entry) => Number(fieldsOf(entry)["credits"]))
        .reduce((total, credits) => total + credits, 0);
      const balance = await readBalance(session, key);
      must(
        sum === balance && ledger["balance"] === balance,
        `The entries of the ledger sum to ${sum}, it says ${String(ledger["balance"])} itself, and the account ${balance}.`,
      );
    },
  },
  {
    id: "credits.failed-job.cost",
    title: "A failed job goes on reporting what was charged for it, refunded or not",
    rules: ["credits.failed-job.cost-reported"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ credits: 40 });
      const job = await failedJob(session, key, "storage_failed");
      const { status, cost_credits: cost } = fieldsOf(job.json);
      if (status !== "failed")
        throw new SkipCheck("The job did not fail, which other checks look at.");
      must(cost === 8, `A failed job in 1K reports ${String(cost)} cost_credits, and not 8.`, job);
    },
  },
  {
    id: "credits.content-blocked.suspension",
    title: "A key whose content is refused over and over goes on, or is suspended with a 403",
    rules: ["content.blocked.suspension"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ credits: 100 });
      for (let round = 0; round < 6; round += 1) {
        await session.control.post("next-job", { outcome: "content_blocked", api_key: key.token });
        const answer = await session.submit({}, { key });
        if (answer.status === 403) return;
        must(
          answer.status === 200,
          `After ${round} refusals of content in a row a submission was answered ${answer.status}.`,
          answer,
        );
        await refusedOrOver(session, key, jobIdOf(answer));
      }
    },
  },
];

/** Lets time pass until a job has ended, or its key is suspended and cannot be asked. */
async function refusedOrOver(session: Session, key: Key, jobId: string): Promise<void> {
  await session.until(`${jobId} ends`, async () => {
    const { status, json } = await session.poll(jobId, { key });
    return status === 403 || fieldsOf(json)["status"] === "failed" ? true : undefined;
  });
}
