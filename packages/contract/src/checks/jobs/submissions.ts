import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type Fields, type HttpResponse } from "../../wire/response.ts";
import {
  absent,
  checkRows,
  checkTable,
  mustHave,
  mustHaveStatus,
  nonEmptyText,
  oneOf,
  present,
  type Condition,
  type Expectations,
} from "../expectations.ts";
import { idsOf, skipGatewayTimeout, skipUnlessEnded, submitLong, syncSuccess } from "./job-run.ts";

/** Metadata with names and values that careless code would change. */
export const metadata = { sku: "LS-204 ", Größe: "  M\n", empty: "", "0": "1" } as const;

export const failureReasons = ["model_rejected", "content_blocked", "storage_failed"] as const;

/** Maximum time that a synchronous request waits, in milliseconds. */
const syncLimit = 90_000;

/** A submission, with what its response must have. A response may omit a field that its form does not list. */
interface SubmissionCase {
  readonly modes?: readonly ("async" | "sync")[];
  readonly request?: Fields;
  readonly expected: Expectations;
}

export const submissions: readonly Check[] = [
  ...checkTable<SubmissionCase>("safe", ({ modes }) => 8 * (modes?.length ?? 1), mustRespond, {
    "submit-response.async": {
      title: "Responds with a running job when wait is false",
      rules: ["states.async.running"],
      // A queued job is an open point.
      expected: { job_id: nonEmptyText, status: oneOf("running", "queued") },
    },
    "submit-response.sync": {
      title: "Responds to a synchronous request with the result, the cost and the balance",
      rules: ["states.sync.succeeded"],
      modes: ["sync"],
      expected: {
        status: "succeeded",
        result_url: nonEmptyText,
        cost_credits: present,
        credits_remaining: present,
      },
    },
    "submit-response.result-url": {
      title: "Has no result_url in a response that did not wait",
      rules: ["submit-response.result-url.sync-success-only"],
      expected: { result_url: absent },
    },
    "submit-response.test-mode.test-key": {
      on: "test",
      title: "Has test_mode true in the response to a test key",
      rules: ["submit-response.test-mode.test-key"],
      expected: { test_mode: oneOf(true, undefined) },
    },
    "submit-response.test-mode.live-key": {
      level: "paid",
      title: "Has no test_mode true in the response to a live key",
      rules: ["submit-response.test-mode.test-key"],
      expected: { test_mode: oneOf(false, undefined) },
    },
    "submit-response.no-error": {
      title: "Has no error_code and no error_message for a job that has not failed",
      rules: ["submit-response.error-code.on-failure", "submit-response.error-message.on-failure"],
      modes: ["async", "sync"],
      expected: { error_code: unlessFailed(absent), error_message: unlessFailed(absent) },
    },
    "submit-response.no-message": {
      title: "Has a message only at the limit of a synchronous request",
      rules: ["submit-response.message.names-poll-path"],
      modes: ["async", "sync"],
      expected: { message: absent },
    },
  }),
  ...checkRows("safe", 16, {
    "submit-response.seed": {
      title: "Repeats the smallest and the largest seed in the response",
      rules: ["submit-response.seed.used"],
      async run(session) {
        for (const seed of [0, 2_147_483_647]) {
          await mustRespond(session, {
            request: { seed },
            expected: { seed: oneOf(seed, undefined) },
          });
        }
      },
    },
    "submit-response.metadata": {
      title: "Repeats the metadata unchanged in the response",
      rules: ["submit-response.metadata.echo"],
      async run(session) {
        const expected = { metadata: oneOf(metadata, undefined) };
        await mustRespond(session, { request: { metadata }, expected });
        await mustRespond(session, { expected: { metadata: absent } });
      },
    },
  }),
  ...checkRows("paid", 12, {
    "submit-response.cost-credits": {
      title: "Has the credits that were charged in cost_credits of a response",
      rules: ["submit-response.cost-credits.charged"],
      async run(session) {
        const { response, charged } = await submit2K(session);
        // An async response without cost_credits is an open point.
        const cost_credits = oneOf(charged, undefined);
        mustHave(response, { cost_credits }, "a response whose balance shows the charge");
      },
    },
    "submit-response.credits-remaining": {
      credits: 8,
      title: "Has the balance after the charge in credits_remaining of a response",
      rules: ["submit-response.credits-remaining.balance"],
      async run({ http }) {
        // Another job between the response and the account would change the balance.
        const response = skipUnlessEnded((await http.submitSync()).response);
        if (typeof fieldsOf(response.json)["credits_remaining"] !== "number") return;
        const credits_remaining = await http.balance();
        mustHave(response, { credits_remaining }, "a response, as in the account");
      },
    },
    "job.cost-credits": {
      title: "Has the credits that were charged in cost_credits of a job, before and after its end",
      rules: ["job.cost-credits.charged"],
      async run(session) {
        const { response, charged } = await submit2K(session);
        const jobId = jobIdOf(response);
        const polls = [await session.http.pollVisible(jobId), await session.http.waitForEnd(jobId)];
        for (const poll of polls) mustHave(poll, { cost_credits: charged }, "a poll");
      },
    },
  }),
  ...checkRows("full", 8, {
    "sync.limit": {
      title: "Responds to a synchronous request after 90 seconds with the running job",
      rules: ["states.sync.running-at-limit"],
      async run(session) {
        const { response, took } = await submitLong(session, syncLimit + 30_000);
        skipGatewayTimeout(response);
        mustHaveStatus(response, 200, "a synchronous request at its limit");
        const status = oneOf("running", "queued");
        const expected = { status, job_id: nonEmptyText, message: present };
        mustHave(response, expected, "the response after 90 s");
        const isAtLimit = took >= syncLimit - 1_500 && took <= syncLimit + 8_000;
        const seconds = (took / 1_000).toFixed(1);
        must(isAtLimit, `Expected a response after 90 s, got one after ${seconds} s.`, response);
      },
    },
    "sync.limit.message": {
      title: "Has the URL to poll in the message at the limit of a synchronous request",
      rules: ["submit-response.message.names-poll-path"],
      async run(session) {
        const { response } = await submitLong(session, syncLimit + 30_000);
        skipGatewayTimeout(response);
        const message = {
          text: "a text with GET /api/v1/tryon/{job_id}",
          passes: (value: unknown): boolean => String(value).includes("/api/v1/tryon/"),
        };
        mustHave(response, { message }, "the response after 90 s");
      },
    },
    "sync.limit.job-continues": {
      title: "Continues the job after the limit of a synchronous request",
      rules: ["states.sync.job-goes-on"],
      async run(session) {
        await submitLong(session, syncLimit + 30_000);
        // A response of a proxy has no job id, but the key has no other job.
        const [jobId] = idsOf(await session.http.list({ limit: "1" }));
        must(jobId !== undefined, "The list does not have the job of a synchronous request.");
        const ended = await session.http.waitForEnd(jobId);
        mustHave(ended, { status: "succeeded" }, "the last poll of the job");
      },
    },
    "sync.waits": {
      level: "safe",
      title: "Responds to a synchronous request when its job ends",
      rules: ["states.sync.succeeded"],
      async run({ http, keys }) {
        await keys.setNextJob({ outcome: "succeeded", duration_ms: 8_000 });
        const { response, duration } = await http.submitSync();
        skipGatewayTimeout(response);
        // A job may be queued first.
        const isAtEnd = duration >= 7_500 && duration <= 45_000;
        const seconds = (duration / 1_000).toFixed(1);
        must(isAtEnd, `The job took 8 s, but the response came after ${seconds} s.`, response);
      },
    },
    "failure.sync": {
      level: "safe",
      credits: 24,
      title: "Responds with 200 and both error fields to a synchronous request whose job fails",
      rules: [
        "errors.after-model.http-200",
        "submit-response.error-code.on-failure",
        "submit-response.error-message.on-failure",
      ],
      async run(session) {
        for (const outcome of failureReasons) {
          const response = await failSync(session, outcome);
          skipGatewayTimeout(response);
          const what = `a synchronous request after ${outcome}`;
          mustHaveStatus(response, 200, what);
          const text = nonEmptyText;
          const expected = {
            status: "failed",
            job_id: text,
            error_code: text,
            error_message: text,
          };
          mustHave(response, expected, what);
        }
      },
    },
    "failure.sync.no-result": {
      level: "safe",
      title: "Has no result_url in the response to a synchronous request whose job fails",
      rules: ["submit-response.result-url.sync-success-only"],
      async run(session) {
        const response = await failSync(session, "model_rejected");
        mustHave(response, { result_url: absent }, "the response for a failed job");
      },
    },
  }),
];

async function mustRespond(session: Session, { modes, request, expected }: SubmissionCase) {
  for (const mode of modes ?? ["async"]) {
    const isSync = mode === "sync";
    const response = await (isSync ? syncSuccess(session, request) : session.http.submit(request));
    mustHave(response, expected, `the response to a submission that is ${mode}`);
  }
}

function unlessFailed({ text, passes }: Condition): Condition {
  return {
    text: `${text} unless the job failed`,
    passes: (value, fields) => fields["status"] === "failed" || passes(value, fields),
  };
}

async function submit2K({ http }: Session) {
  const before = await http.balance();
  const response = await http.submit({ output_size: "2K" });
  return { response, charged: before - (await http.balance()) };
}

async function failSync({ http, keys }: Session, outcome: string): Promise<HttpResponse> {
  await keys.setNextJob({ outcome });
  return (await http.submitSync()).response;
}
