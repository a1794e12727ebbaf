import { isDeepStrictEqual } from "node:util";

import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { heldSuccess, isNone, ownKey } from "./journey.ts";

const free = { level: "safe", on: "any", credits: 8 } as const;

/** What a request carries that is to come back: names and values that careless code would change. */
const metadata = { sku: "LS-204 ", Größe: "  M\n", empty: "", "0": "1" } as const;

export const submitAnswers: readonly Check[] = [
  {
    ...free,
    id: "submit-answer.async",
    title: "A submission with wait false is answered with a job that is running",
    rules: ["states.async.running"],
    async run(session) {
      const answer = await session.submit({}, { key: await ownKey(session) });
      const { job_id: jobId, status } = fieldsOf(answer.json);
      must(answer.status === 200, `A good submission was answered ${answer.status}.`, answer);
      must(typeof jobId === "string", "The answer has no job_id.", answer);
      // Whether a job may be queued first is an open point.
      const going = status === "running" || status === "queued";
      must(going, `The status is ${String(status)}, and not running.`, answer);
    },
  },
  {
    ...free,
    id: "submit-answer.held",
    title: "A held call whose job succeeds answers with the result and the balance",
    rules: ["states.sync.succeeded"],
    async run(session) {
      const answer = await heldSuccess(session, {}, { key: await ownKey(session) });
      const fields = fieldsOf(answer.json);
      const { status } = fields;
      must(status === "succeeded", `The status is ${String(status)}, and not succeeded.`, answer);
      must(typeof fields["result_url"] === "string", "The answer has no result_url.", answer);
      for (const name of ["cost_credits", "credits_remaining"]) {
        must(fields[name] !== undefined, `The answer has no ${name}.`, answer);
      }
    },
  },
  {
    ...free,
    id: "submit-answer.result-url",
    title: "An answer that did not wait for the result has no result_url",
    rules: ["submit-response.result-url.sync-success-only"],
    async run(session) {
      const answer = await session.submit({}, { key: await ownKey(session) });
      const { result_url: address } = fieldsOf(answer.json);
      must(isNone(address), "The answer to wait false has a result_url.", answer);
    },
  },
  {
    ...free,
    credits: 16,
    id: "submit-answer.seed",
    title: "The answer to a submission repeats its seed, the smallest and the largest too",
    rules: ["submit-response.seed.used"],
    async run(session) {
      const key = await ownKey(session);
      for (const seed of [0, 2_147_483_647]) {
        const answer = await session.submit({ seed }, { key });
        const { seed: echo } = fieldsOf(answer.json);
        must(
          echo === seed || (echo === undefined && isSparse(answer)),
          `The seed ${seed} came back as ${JSON.stringify(echo)}.`,
          answer,
        );
      }
    },
  },
  {
    ...free,
    credits: 16,
    id: "submit-answer.metadata",
    title: "The answer to a submission repeats its metadata unchanged",
    rules: ["submit-response.metadata.echo"],
    async run(session) {
      const key = await ownKey(session);
      const answer = await session.submit({ metadata }, { key });
      const { metadata: echo } = fieldsOf(answer.json);
      must(
        isDeepStrictEqual(echo, metadata) || (echo === undefined && isSparse(answer)),
        `The metadata ${JSON.stringify(metadata)} came back as ${JSON.stringify(echo)}.`,
        answer,
      );
      const without = await session.submit({}, { key });
      const { metadata: none } = fieldsOf(without.json);
      must(isNone(none), "A submission without metadata got some back.", without);
    },
  },
  {
    ...free,
    on: "test",
    id: "submit-answer.test-mode.test-key",
    title: "The answer to a test key says test_mode true",
    rules: ["submit-response.test-mode.test-key"],
    async run(session) {
      const answer = await session.submit({}, { key: await ownKey(session) });
      const { test_mode: testMode } = fieldsOf(answer.json);
      must(
        testMode === true || (testMode === undefined && isSparse(answer)),
        `test_mode is ${JSON.stringify(testMode)} for a test key, and not true.`,
        answer,
      );
    },
  },
  {
    ...free,
    level: "paid",
    on: "live",
    id: "submit-answer.test-mode.live-key",
    title: "The answer to a live key does not say test_mode true",
    rules: ["submit-response.test-mode.test-key"],
    async run(session) {
      const answer = await session.submit({}, { key: await ownKey(session) });
      const { test_mode: testMode } = fieldsOf(answer.json);
      must(
        testMode === false || testMode === undefined,
        `test_mode is ${JSON.stringify(testMode)} for a live key, and not false.`,
        answer,
      );
    },
  },
  {
    ...free,
    credits: 16,
    id: "submit-answer.no-error",
    title: "The answer for a job that has not failed has no error_code and no error_message",
    rules: ["submit-response.error-code.on-failure", "submit-response.error-message.on-failure"],
    async run(session) {
      const key = await ownKey(session);
      const answers = [await session.submit({}, { key }), await heldSuccess(session, {}, { key })];
      for (const answer of answers) {
        const fields = fieldsOf(answer.json);
        if (fields["status"] === "failed")
          throw new SkipCheck("The job of a good submission failed.");
        for (const name of ["error_code", "error_message"]) {
          must(isNone(fields[name]), `A job that has not failed has an ${name}.`, answer);
        }
      }
    },
  },
  {
    ...free,
    credits: 16,
    id: "submit-answer.no-message",
    title: "An answer that did not run into the limit of a held call has no message",
    rules: ["submit-response.message.names-poll-path"],
    async run(session) {
      const key = await ownKey(session);
      const answers = [await session.submit({}, { key }), await heldSuccess(session, {}, { key })];
      for (const answer of answers) {
        const { message } = fieldsOf(answer.json);
        must(isNone(message), `The answer has the message ${JSON.stringify(message)}.`, answer);
      }
    },
  },
];

/** Whether an answer that did not wait has no more fields than its documented shape lists, which is an open point. */
function isSparse(answer: HttpResponse): boolean {
  return fieldsOf(answer.json)["cost_credits"] === undefined;
}
