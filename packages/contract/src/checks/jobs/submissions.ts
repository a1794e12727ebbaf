import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import { jobIdOf } from "../../submission.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type Fields, type HttpResponse } from "../../wire/response.ts";
import {
  absent,
  checkGroup,
  mustHave,
  mustHaveStatus,
  nonEmptyText,
  oneOf,
  present,
  type CheckRow,
  type Condition,
  type Expectations,
} from "../expectations.ts";
import {
  idsOf,
  ownKey,
  pageOf,
  pollVisible,
  setNextJob,
  skipGatewayTimeout,
  syncSuccess,
} from "./job-run.ts";
import type { Key } from "../../target/keys.ts";

/** Metadata with names and values that careless code would change. */
export const metadata = { sku: "LS-204 ", Größe: "  M\n", empty: "", "0": "1" } as const;

/** Outcomes of jobs that fail after the model was reached. */
export const failureReasons = ["model_rejected", "content_blocked", "storage_failed"] as const;

/** Maximum time that a synchronous request waits, in milliseconds. */
const syncLimit = 90_000;

type Case = readonly [mode: "async" | "sync", request: Fields, expected: Expectations];
type SubmitRow = Omit<CheckRow, "run"> & { readonly cases: readonly Case[] };

const noMessage = { message: absent };
const noError = { error_code: unlessFailed(absent), error_message: unlessFailed(absent) };

const responseRows: readonly SubmitRow[] = [
  {
    id: "submit-response.async",
    title: "Responds with a running job when wait is false",
    rules: ["states.async.running"],
    // A queued job is an open point.
    cases: [["async", {}, { job_id: nonEmptyText, status: oneOf("running", "queued") }]],
  },
  {
    id: "submit-response.sync",
    title: "Responds to a synchronous request with the result, the cost and the balance",
    rules: ["states.sync.succeeded"],
    cases: [
      [
        "sync",
        {},
        {
          status: "succeeded",
          result_url: nonEmptyText,
          cost_credits: present,
          credits_remaining: present,
        },
      ],
    ],
  },
  {
    id: "submit-response.result-url",
    title: "Has no result_url in a response that did not wait",
    rules: ["submit-response.result-url.sync-success-only"],
    cases: [["async", {}, { result_url: absent }]],
  },
  {
    id: "submit-response.seed",
    title: "Repeats the smallest and the largest seed in the response",
    rules: ["submit-response.seed.used"],
    cases: [0, 2_147_483_647].map((seed): Case => ["async", { seed }, { seed: repeated(seed) }]),
  },
  {
    id: "submit-response.metadata",
    title: "Repeats the metadata unchanged in the response",
    rules: ["submit-response.metadata.echo"],
    cases: [
      ["async", { metadata }, { metadata: repeated(metadata) }],
      ["async", {}, { metadata: absent }],
    ],
  },
  {
    on: "test",
    id: "submit-response.test-mode.test-key",
    title: "Has test_mode true in the response to a test key",
    rules: ["submit-response.test-mode.test-key"],
    cases: [["async", {}, { test_mode: repeated(true) }]],
  },
  {
    level: "paid",
    on: "live",
    id: "submit-response.test-mode.live-key",
    title: "Has no test_mode true in the response to a live key",
    rules: ["submit-response.test-mode.test-key"],
    cases: [["async", {}, { test_mode: oneOf(false, undefined) }]],
  },
  {
    id: "submit-response.no-error",
    title: "Has no error_code and no error_message for a job that has not failed",
    rules: ["submit-response.error-code.on-failure", "submit-response.error-message.on-failure"],
    cases: [
      ["async", {}, noError],
      ["sync", {}, noError],
    ],
  },
  {
    id: "submit-response.no-message",
    title: "Has a message only at the limit of a synchronous request",
    rules: ["submit-response.message.names-poll-path"],
    cases: [
      ["async", {}, noMessage],
      ["sync", {}, noMessage],
    ],
  },
];

/** Responses to submissions: their fields, what they cost, and synchronous requests. */
export const submissions: readonly Check[] = [
  ...responseRows.map(submitCheck),
  ...checkGroup({ level: "paid", on: "live", credits: 12 }, [
    {
      id: "submit-response.cost-credits",
      title: "Has the credits that were charged in cost_credits of a response",
      rules: ["submit-response.cost-credits.charged"],
      async run(session) {
        const { response, charged } = await submit2K(session, await ownKey(session));
        // An async response without cost_credits is an open point.
        const cost_credits = oneOf(charged, undefined);
        mustHave(response, { cost_credits }, "a response whose balance shows the charge");
      },
    },
    {
      credits: 8,
      id: "submit-response.credits-remaining",
      title: "Has the balance after the charge in credits_remaining of a response",
      rules: ["submit-response.credits-remaining.balance"],
      async run(session) {
        const key = await ownKey(session);
        const response = await syncSuccess(session, {}, { key });
        if (typeof fieldsOf(response.json)["credits_remaining"] !== "number") return;
        const credits_remaining = await session.balance(key);
        mustHave(response, { credits_remaining }, "a response, as in the account");
      },
    },
    {
      id: "job.cost-credits",
      title: "Has the credits that were charged in cost_credits of a job, before and after its end",
      rules: ["job.cost-credits.charged"],
      async run(session) {
        const key = await ownKey(session);
        const { response, charged } = await submit2K(session, key);
        const jobId = jobIdOf(response);
        const polls = [
          await pollVisible(session, jobId, key),
          await session.waitForEnd(jobId, { key }),
        ];
        for (const poll of polls) mustHave(poll, { cost_credits: charged }, "a poll");
      },
    },
  ]),
  ...checkGroup({ level: "full", on: "any", credits: 8 }, [
    {
      id: "sync.limit",
      title: "Responds to a synchronous request after 90 seconds with the running job",
      rules: ["states.sync.running-at-limit"],
      async run(session) {
        const { answer, took } = await waitToLimit(session, await ownKey(session));
        skipGatewayTimeout(answer);
        mustHaveStatus(answer, 200, "a synchronous request at its limit");
        const status = oneOf("running", "queued");
        const expected = { status, job_id: nonEmptyText, message: present };
        mustHave(answer, expected, "the response after 90 s");
        must(
          took >= syncLimit - 1_500 && took <= syncLimit + 8_000,
          `Expected a response after 90 s, got one after ${(took / 1_000).toFixed(1)} s.`,
          answer,
        );
      },
    },
    {
      id: "sync.limit.message",
      title: "Has the URL to poll in the message at the limit of a synchronous request",
      rules: ["submit-response.message.names-poll-path"],
      async run(session) {
        const { answer } = await waitToLimit(session, await ownKey(session));
        skipGatewayTimeout(answer);
        const message = {
          text: "a text with GET /api/v1/tryon/{job_id}",
          passes: (value: unknown): boolean => String(value).includes("/api/v1/tryon/"),
        };
        mustHave(answer, { message }, "the response after 90 s");
      },
    },
    {
      id: "sync.limit.job-continues",
      title: "Continues the job after the limit of a synchronous request",
      rules: ["states.sync.job-goes-on"],
      async run(session) {
        const key = await ownKey(session);
        await waitToLimit(session, key);
        // A response of a proxy has no job id, but the key has no other job.
        const [jobId] = idsOf(await pageOf(session, key, { limit: "1" }));
        must(jobId !== undefined, "The list does not have the job of a synchronous request.");
        const ended = await session.waitForEnd(jobId, { key });
        mustHave(ended, { status: "succeeded" }, "the last poll of the job");
      },
    },
    {
      level: "safe",
      id: "sync.waits",
      title: "Responds to a synchronous request when its job ends",
      rules: ["states.sync.succeeded"],
      async run(session) {
        const key = await ownKey(session);
        await setNextJob(session, key, { outcome: "succeeded", duration_ms: 8_000 });
        const { answer, took } = await session.submitSync({}, { key });
        skipGatewayTimeout(answer);
        // A job may be queued first.
        must(
          took >= 7_500 && took <= 45_000,
          `The job took 8 s, but the response came after ${(took / 1_000).toFixed(1)} s.`,
          answer,
        );
      },
    },
    {
      level: "safe",
      credits: 24,
      id: "failure.sync",
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
    {
      level: "safe",
      id: "failure.sync.no-result",
      title: "Has no result_url in the response to a synchronous request whose job fails",
      rules: ["submit-response.result-url.sync-success-only"],
      async run(session) {
        const response = await failSync(session, "model_rejected");
        mustHave(response, { result_url: absent }, "the response for a failed job");
      },
    },
  ]),
];

function submitCheck({ cases, ...row }: SubmitRow): Check {
  return {
    level: "safe",
    on: "any",
    credits: 8 * cases.length,
    ...row,
    async run(session) {
      const key = await ownKey(session);
      for (const [mode, request, expected] of cases) {
        const response =
          mode === "sync"
            ? await syncSuccess(session, request, { key })
            : await session.submit(request, { key });
        mustHave(response, expected, `the response to a submission that is ${mode}`);
      }
    },
  };
}

/** Condition for a value that an async response may omit with `cost_credits`, which is an open point. */
function repeated(expected: unknown): Condition {
  const { text, passes } = oneOf(expected);
  return {
    text,
    passes: (value, fields) =>
      passes(value, fields) || (value === undefined && fields["cost_credits"] === undefined),
  };
}

function unlessFailed({ text, passes }: Condition): Condition {
  return {
    text: `${text} unless the job failed`,
    passes: (value, fields) => fields["status"] === "failed" || passes(value, fields),
  };
}

/** Submits a try-on in 2K, and takes its cost from the balance. */
async function submit2K(session: Session, key: Key) {
  const before = await session.balance(key);
  const response = await session.submit({ output_size: "2K" }, { key });
  return { response, charged: before - (await session.balance(key)) };
}

/** Sends a synchronous request whose job fails. @throws SkipCheck without the control API. */
async function failSync(session: Session, outcome: string): Promise<HttpResponse> {
  const key = await ownKey(session);
  await setNextJob(session, key, { outcome });
  return (await session.submitSync({}, { key })).answer;
}

/** Sends a synchronous request whose job takes longer than the limit. @throws SkipCheck without the control API. */
async function waitToLimit(session: Session, key: Key) {
  await setNextJob(session, key, { outcome: "succeeded", duration_ms: syncLimit + 30_000 });
  const idempotencyKey = session.unique("sync");
  const from = session.time.now();
  const request = session.submit({ wait: true }, { key, idempotencyKey });
  const answer = await session.passUntilSettled(request, idempotencyKey, 3_000);
  const took = session.time.now() - from;
  // The job ends before the next check begins.
  if (session.time.virtual) await session.time.pass(Math.max(0, syncLimit + 31_000 - took));
  return { answer, took };
}
