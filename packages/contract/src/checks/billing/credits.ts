import { must, need } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import type { Session } from "../../session.ts";
import { costs } from "../../target/budget.ts";
import { elementsOf, fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { checkGroup, mustHave, mustHaveStatus, type CheckRow } from "../expectations.ts";
import { setNextJob } from "../jobs/job-run.ts";
import { mustChangeBalance, payingKey, readBalance, skipUnlessStatus } from "./balance.ts";
import type { Key } from "../../target/keys.ts";

const day = 86_400_000;

/** Costs of try-ons, and how credits are taken and kept. */
export const creditChecks = checkGroup({ level: "paid", on: "any", credits: 0 }, [
  ...Object.entries(costs).map(([size, cost]): CheckRow => ({
    id: `costs.${size.toLowerCase()}`,
    title: `Takes ${cost} credits for a try-on in ${size}, and reports them`,
    rules: [`sizes.${size.toLowerCase()}.cost`],
    on: "live",
    credits: cost,
    async run(session) {
      await mustTakeAndReport(session, await payingKey(session), size, cost);
    },
  })),
  {
    id: "costs.test-key",
    title: "Takes nothing for a try-on with a test key",
    rules: ["test-key.free"],
    level: "safe",
    on: "test",
    run: (session) => mustTakeAndReport(session, session.key, "1K", 0),
  },
  {
    id: "credits.at-once",
    title: "Takes as many concurrent submissions as the balance pays, and keeps it from 0 up",
    rules: ["credits.deducted.atomically"],
    async run(session) {
      const key = await session.freshKey({ credits: 31 });
      const submissions = Array.from({ length: 6 }, () => session.submit({}, { key }));
      const responses = await Promise.all(submissions);
      const statuses = responses.map(({ status }) => status).toSorted((one, other) => one - other);
      must(
        statuses.join() === "200,200,200,402,402,402",
        `6 concurrent submissions with credits for 3 got ${statuses.join()}.`,
        responses[0],
      );
      const balance = await readBalance(session, key);
      must(balance >= 0, `The balance is ${balance}, which is below 0.`);
    },
  },
  {
    id: "credits.too-few",
    title: "Responds with 402 to a submission that costs more than the balance, and makes no job",
    rules: ["submit.402.too-few-credits", "credits.bought-beforehand"],
    async run(session) {
      const key = await session.freshKey({ credits: 19 });
      const response = await session.submit({ output_size: "4K" }, { key });
      mustHaveStatus(response, 402, "a submission for 20 credits with 19");
      await mustHaveMade(session, key, 0, "a submission with 402");
    },
  },
  {
    id: "credits.enough",
    title: "Takes a submission that costs the whole balance",
    rules: ["submit.402.too-few-credits"],
    async run(session) {
      const key = await session.freshKey({ credits: 12 });
      const response = await session.submit({ output_size: "2K" }, { key });
      mustHaveStatus(response, 200, "a submission for 12 credits with 12");
    },
  },
  {
    id: "credits.before-generation",
    title: "Takes the credits before it makes the image",
    rules: ["credits.deducted.before-generation"],
    async run(session) {
      const key = await session.freshKey({ credits: 50 });
      await setNextJob(session, key, { outcome: "succeeded", duration_ms: 20_000 });
      const response = await session.submit({}, { key });
      skipUnlessStatus(response, 200);
      const balance = await readBalance(session, key);
      must(balance < 50, "A running try-on has not taken any credits.", response);
    },
  },
  {
    id: "credits.never-expire",
    title: "Keeps unused credits on the balance",
    rules: ["credits.bought-beforehand"],
    level: "full",
    async run(session) {
      const key = await session.freshKey({ credits: 40 });
      const before = await readBalance(session, key);
      needVirtualTime(session);
      await session.time.pass(400 * day);
      const after = await readBalance(session, key);
      must(after === before, `${before} credits have become ${after} after 400 days.`);
    },
  },
  {
    id: "credits.ledger",
    title: "Has the sum of all credits granted and taken as the balance",
    rules: ["credits.deducted.atomically"],
    async run(session) {
      const key = await session.freshKey({ credits: 64 });
      await session.submitAndWait({}, { key });
      await failedJob(session, key, "model_rejected");
      const ledger = await session.control.get(`ledger?api_key=${key.token}`);
      const entries = elementsOf(ledger["entries"]).map(fieldsOf);
      const sum = entries.reduce((total, { credits }) => total + Number(credits), 0);
      const balance = await readBalance(session, key);
      must(
        sum === balance && ledger["balance"] === balance,
        `The entries of the ledger sum to ${sum}, its balance is ${String(ledger["balance"])}, and that of the account ${balance}.`,
      );
    },
  },
  {
    id: "credits.failed-job.cost",
    title: "Reports what it charged for a failed job, refunded or not",
    rules: ["credits.failed-job.cost-reported"],
    async run(session) {
      const key = await session.freshKey({ credits: 40 });
      const job = await failedJob(session, key, "storage_failed");
      mustHave(job, { cost_credits: 8 }, "a failed job in 1K");
    },
  },
  {
    id: "credits.content-blocked.suspension",
    title: "Takes more submissions after blocked content, or suspends the key with 403",
    rules: ["content.blocked.suspension"],
    async run(session) {
      const key = await session.freshKey({ credits: 100 });
      for (let round = 0; round < 6; round += 1) {
        await setNextJob(session, key, { outcome: "content_blocked" });
        const response = await session.submit({}, { key });
        if (response.status === 403) return;
        mustHaveStatus(response, 200, `a submission after ${round} jobs with blocked content`);
        const jobId = jobIdOf(response);
        // A suspended key cannot poll.
        await session.until(`${jobId} ends`, async () => {
          const { status, json } = await session.poll(jobId, { key });
          return status === 403 || fieldsOf(json)["status"] === "failed" ? true : undefined;
        });
      }
    },
  },
]);

/** Submits a try-on in a size, which must take these credits and report them. */
async function mustTakeAndReport(
  session: Session,
  key: Key,
  size: string,
  cost: number,
): Promise<void> {
  const what = `a try-on in ${size} with a ${key.kind} key`;
  const job = await mustChangeBalance(session, key, { by: -cost, what }, async () => {
    const ended = await session.submitAndWait({ output_size: size }, { key });
    // The document leaves open which failures are refunded.
    const isPriced = fieldsOf(ended.json)["status"] === "succeeded";
    need(isPriced, "The try-on failed, so that its price is unknown.");
    return ended;
  });
  mustHave(job, { cost_credits: cost }, what);
}

/** Ways in which a reference server lets a job fail. */
export type Failure = "content_blocked" | "model_rejected" | "storage_failed";

/** Submits a try-on that fails, and waits for it. @throws SkipCheck without the control API, or when the job succeeds. */
export async function failedJob(
  session: Session,
  key: Key,
  outcome: Failure,
): Promise<HttpResponse> {
  await setNextJob(session, key, { outcome });
  const job = await session.submitAndWait({}, { key });
  const hasFailed = fieldsOf(job.json)["status"] === "failed";
  need(hasFailed, "The job did not fail, which has other checks.");
  return job;
}

/** @throws CheckFailure when the first page of the list has more jobs than this. */
export async function mustHaveMade(
  session: Session,
  key: Key,
  max: number,
  what: string,
): Promise<void> {
  // The list may omit a new job for a moment.
  await session.time.pass(1_000);
  const list = await session.request("GET", "/api/v1/tryon", { key });
  const { length } = elementsOf(fieldsOf(list.json)["jobs"]);
  must(length <= max, `Expected at most ${max} jobs after ${what}, got ${length}.`, list);
}

/** @throws SkipCheck where a long time cannot be skipped. */
export function needVirtualTime({ time }: Session): void {
  need(time.virtual, "This takes a day or more without a virtual clock.");
}
