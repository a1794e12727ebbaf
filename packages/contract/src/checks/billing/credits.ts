import { must, need } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import type { Session } from "../../session.ts";
import { costs } from "../../target/budget.ts";
import { elementsOf, fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { checkRows, mustHave, mustHaveStatus } from "../expectations.ts";
import { mustChangeBalance, skipUnlessStatus } from "./balance.ts";

const day = 86_400_000;

export const creditChecks = [
  ...Object.entries(costs).flatMap(([size, cost]) =>
    checkRows("paid", cost, {
      [`costs.${size.toLowerCase()}`]: {
        title: `Takes ${cost} credits for a try-on in ${size}, and reports them`,
        rules: [`sizes.${size.toLowerCase()}.cost`],
        async run(session) {
          await session.keys.useNew({ credits: 100 });
          await mustTakeAndReport(session, size, cost);
        },
      },
    }),
  ),
  ...checkRows("paid", 0, {
    "costs.test-key": {
      title: "Takes nothing for a try-on with a test key",
      rules: ["test-key.free"],
      level: "safe",
      on: "test",
      run: (session) => mustTakeAndReport(session, "1K", 0),
    },
    "credits.at-once": {
      title: "Takes as many concurrent submissions as the balance pays, and keeps it from 0 up",
      rules: ["credits.deducted.atomically"],
      newKey: { credits: 31 },
      async run({ http }) {
        const submissions = Array.from({ length: 6 }, () => http.submit());
        const responses = await Promise.all(submissions);
        const statuses = responses
          .map(({ status }) => status)
          .toSorted((a, b) => a - b)
          .join();
        const message = `6 concurrent submissions with credits for 3 got ${statuses}.`;
        must(statuses === "200,200,200,402,402,402", message, responses[0]);
        const balance = await http.balance();
        must(balance >= 0, `The balance is ${balance}, which is below 0.`);
      },
    },
    "credits.too-few": {
      title: "Responds with 402 to a submission that costs more than the balance, and makes no job",
      rules: ["submit.402.too-few-credits", "credits.bought-beforehand"],
      newKey: { credits: 19 },
      async run(session) {
        const response = await session.http.submit({ output_size: "4K" });
        mustHaveStatus(response, 402, "a submission for 20 credits with 19");
        await mustHaveMade(session, 0, "a submission with 402");
      },
    },
    "credits.enough": {
      title: "Takes a submission that costs the whole balance",
      rules: ["submit.402.too-few-credits"],
      newKey: { credits: 12 },
      async run({ http }) {
        const response = await http.submit({ output_size: "2K" });
        mustHaveStatus(response, 200, "a submission for 12 credits with 12");
      },
    },
    "credits.before-generation": {
      title: "Takes the credits before it makes the image",
      rules: ["credits.deducted.before-generation"],
      newKey: { credits: 50 },
      async run({ http, keys }) {
        await keys.setNextJob({ outcome: "succeeded", duration_ms: 20_000 });
        const response = await http.submit();
        skipUnlessStatus(response, 200);
        const balance = await http.balance();
        must(balance < 50, "A running try-on has not taken any credits.", response);
      },
    },
    "credits.never-expire": {
      title: "Keeps unused credits on the balance",
      rules: ["credits.bought-beforehand"],
      level: "full",
      newKey: { credits: 40 },
      async run(session) {
        const before = await session.http.balance();
        needVirtualTime(session);
        await session.time.pass(400 * day);
        const after = await session.http.balance();
        must(after === before, `${before} credits have become ${after} after 400 days.`);
      },
    },
    "credits.ledger": {
      title: "Has the sum of all credits granted and taken as the balance",
      rules: ["credits.deducted.atomically"],
      newKey: { credits: 64 },
      async run(session) {
        await session.http.submitAndWait();
        await failedJob(session, "model_rejected");
        const ledger = await session.keys.control.get(`ledger?api_key=${session.keys.own.token}`);
        const entries = elementsOf(ledger["entries"]).map(fieldsOf);
        const sum = entries.reduce((total, { credits }) => total + Number(credits), 0);
        const balance = await session.http.balance();
        must(
          sum === balance && ledger["balance"] === balance,
          `The entries of the ledger sum to ${sum}, its balance is ${String(ledger["balance"])}, and that of the account ${balance}.`,
        );
      },
    },
    "credits.failed-job.cost": {
      title: "Reports what it charged for a failed job, refunded or not",
      rules: ["credits.failed-job.cost-reported"],
      newKey: { credits: 40 },
      async run(session) {
        const job = await failedJob(session, "storage_failed");
        mustHave(job, { cost_credits: 8 }, "a failed job in 1K");
      },
    },
    "credits.content-blocked.suspension": {
      title: "Takes more submissions after blocked content, or suspends the key with 403",
      rules: ["content.blocked.suspension"],
      newKey: { credits: 100 },
      async run({ http, keys, time }) {
        for (let round = 0; round < 6; round += 1) {
          await keys.setNextJob({ outcome: "content_blocked" });
          const response = await http.submit();
          if (response.status === 403) return;
          mustHaveStatus(response, 200, `a submission after ${round} jobs with blocked content`);
          const jobId = jobIdOf(response);
          // A suspended key cannot poll.
          await time.until(`${jobId} ends`, async () => {
            const { status, json } = await http.poll(jobId);
            return status === 403 || fieldsOf(json)["status"] === "failed" ? true : undefined;
          });
        }
      },
    },
  }),
];

async function mustTakeAndReport(session: Session, size: string, cost: number): Promise<void> {
  const what = `a try-on in ${size} with a ${session.keys.own.kind} key`;
  const job = await mustChangeBalance(session, -cost, what, async () => {
    const ended = await session.http.submitAndWait({ output_size: size });
    // The document leaves open which failures are refunded.
    const isPriced = fieldsOf(ended.json)["status"] === "succeeded";
    need(isPriced, "The try-on failed, so that its price is unknown.");
    return ended;
  });
  mustHave(job, { cost_credits: cost }, what);
}

export type Failure = "content_blocked" | "model_rejected" | "storage_failed";

export async function failedJob({ http, keys }: Session, outcome: Failure): Promise<HttpResponse> {
  await keys.setNextJob({ outcome });
  const job = await http.submitAndWait();
  const hasFailed = fieldsOf(job.json)["status"] === "failed";
  need(hasFailed, "The job did not fail, which has other checks.");
  return job;
}

export async function mustHaveMade(
  { http, time }: Session,
  max: number,
  what: string,
): Promise<void> {
  // The list may omit a new job for a moment.
  await time.pass(1_000);
  const list = await http.list();
  const { length } = elementsOf(fieldsOf(list.json)["jobs"]);
  must(length <= max, `Expected at most ${max} jobs after ${what}, got ${length}.`, list);
}

export function needVirtualTime({ time }: Session): void {
  need(time.virtual, "This takes a day or more without a virtual clock.");
}
