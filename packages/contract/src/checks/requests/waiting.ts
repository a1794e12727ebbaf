import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import { skipUnlessJudged } from "../../submission.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type HttpResponse, type Fields } from "../../wire/response.ts";

/** A held call is answered by its end at the latest after this time, and not without one before it. */
const shortestCut = 25_000;

/** Whether a submission waits for its job. */
export const waiting: readonly Check[] = [
  {
    id: "wait.default",
    title: "Waits for the job where a submission does not say whether to",
    rules: ["request.wait.default"],
    level: "safe",
    on: "any",
    credits: 8,
    run: (session) => mustHold(session, "without wait", { wait: undefined }),
  },
  {
    id: "wait.mode",
    title: "Takes mode for wait: sync waits, async does not",
    rules: ["request.wait.mode-alias"],
    level: "safe",
    on: "any",
    credits: 16,
    async run(session) {
      await mustNotHold(session, "with mode async", { wait: undefined, mode: "async" });
      await mustHold(session, "with mode sync", { wait: undefined, mode: "sync" });
    },
  },
  {
    id: "wait.before-mode",
    title: "Goes by wait where a submission has mode as well",
    rules: ["request.wait.mode-alias"],
    level: "safe",
    on: "any",
    credits: 16,
    async run(session) {
      const notHeld = { wait: false, mode: "sync" };
      await mustNotHold(session, "with wait false and mode sync", notHeld);
      await mustHold(session, "with wait true and mode async", { wait: true, mode: "async" });
    },
  },
];

async function mustHold(session: Session, what: string, fields: Fields): Promise<void> {
  const { answer, took } = await session.held(fields);
  // A proxy may end a call that is held, which shows that it was.
  const { status } = answered(what, answer, [200, 504]);
  const ended = status === "succeeded" || status === "failed";
  must(
    ended || took >= shortestCut,
    `A submission ${what} was answered ${String(status)} after ${took} ms, and should wait for its end.`,
    answer,
  );
}

/** Only an answer that has waited for its job has the address of a result. */
async function mustNotHold(session: Session, what: string, fields: Fields): Promise<void> {
  const { answer } = await session.held(fields);
  const { result_url: address } = answered(what, answer, [200]);
  must(
    typeof address !== "string",
    `A submission ${what} was answered with a result, and should not wait for it.`,
    answer,
  );
}

function answered(what: string, answer: HttpResponse, statuses: readonly number[]): Fields {
  const { status } = answer;
  skipUnlessJudged(answer);
  must(statuses.includes(status), `A submission ${what} was answered ${status}.`, answer);
  return fieldsOf(answer.json);
}
