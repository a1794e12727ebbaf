import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { rateAllowance, callsOver } from "./allowance.ts";
import { mustTake, payingKey, proceedWith, readBalance } from "./balance.ts";
import { unknownJob } from "./unknown-job.ts";

/** How a refusal is brought about that must not cost anything. */
interface Refusal {
  readonly status: number;
  readonly of: string;
  /** The credits that a deployment could take that does not refuse it. */
  readonly credits: number;
  readonly send: (
    session: Session,
    key: Awaited<ReturnType<typeof payingKey>>,
  ) => Promise<HttpResponse>;
}

const refusals: readonly Refusal[] = [
  {
    status: 400,
    of: "a submission without a person",
    credits: 8,
    send: (session, key) => session.submit({ person_image_b64: undefined }, { key }),
  },
  {
    status: 401,
    of: "a submission with a key that is almost right",
    credits: 0,
    send: (session, key) => session.submit({}, { key: `${key.token}0` }),
  },
  {
    status: 404,
    of: "a poll of a job that does not exist",
    credits: 0,
    send: (session, key) => session.poll(unknownJob(session), { key }),
  },
  {
    status: 422,
    of: "a submission with a seed below 0",
    credits: 8,
    send: (session, key) => session.submit({ seed: -1 }, { key }),
  },
];

/** No refusal takes credits. */
export const refusalChecks: readonly Check[] = [
  ...refusals.map(chargeCheck),
  {
    id: "refusals.402.free",
    title: "A 402 takes no credits",
    rules: ["errors.402.not-charged"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ credits: 7 });
      const subject = { credits: 0, what: "A submission that was answered 402" };
      await mustTake(session, key, subject, async () =>
        proceedWith(await session.submit({}, { key }), 402),
      );
    },
  },
  {
    id: "refusals.403.free",
    title: "A 403 takes no credits",
    rules: ["errors.403.not-charged"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ state: "disabled", credits: 100 });
      const answer = await session.submit({}, { key });
      proceedWith(answer, 403);
      // The account of a key that may not call is not to be had.
      const { balance } = await session.control.get(`ledger?api_key=${key.token}`);
      must(
        balance === 100,
        `A submission that was answered 403 left ${String(balance)} of 100 credits.`,
        answer,
      );
    },
  },
  {
    id: "refusals.409.free",
    title: "A 409 takes no credits",
    rules: ["errors.409.not-charged"],
    level: "paid",
    on: "live",
    credits: 16,
    async run(session) {
      const key = await payingKey(session);
      const options = { key, idempotencyKey: session.unique() };
      const first = await session.submit({}, options);
      proceedWith(first, 200);
      await session.end(String(fieldsOf(first.json)["job_id"]), { key });
      const subject = { credits: 0, what: "A submission that was answered 409" };
      await mustTake(session, key, subject, async () =>
        proceedWith(await session.submit({ seed: 7 }, options), 409),
      );
    },
  },
  {
    id: "refusals.429.free",
    title: "A 429 takes no credits",
    rules: ["errors.429.not-charged"],
    level: "full",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ credits: 100, rate_limit_per_min: rateAllowance });
      const before = await readBalance(session, key);
      await callsOver(session, key);
      const answer = await session.submit({}, { key, take429: true });
      proceedWith(answer, 429);
      await session.time.pass(61_000);
      const after = await readBalance(session, key);
      must(
        after === before,
        `A submission that was answered 429 took ${before - after} credits.`,
        answer,
      );
    },
  },
  faultCheck(500, ["errors.500.not-charged"]),
  faultCheck(503, ["errors.503.charge"]),
  {
    id: "refusals.503.later",
    title:
      "A submission that was answered 503 is taken when it is sent again with its key, and charged once",
    rules: ["errors.503.back-off"],
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey();
      const options = { key, idempotencyKey: session.unique() };
      await session.addFault({ on: "POST /api/v1/tryon", status: 503, times: 1 });
      proceedWith(await session.submit({}, options), 503);
      const answer = await session.submit({}, options);
      must(
        answer.status === 200,
        `Sent again after a 503, a submission was answered ${answer.status}.`,
        answer,
      );
    },
  },
];

function chargeCheck({ status, of, credits, send }: Refusal): Check {
  return {
    id: `refusals.${status}.free`,
    title: `A ${status} takes no credits`,
    rules: [`errors.${status}.not-charged`],
    level: "paid",
    on: "live",
    credits,
    async run(session) {
      const key = await payingKey(session);
      const subject = { credits: 0, what: `A ${status} for ${of}` };
      await mustTake(session, key, subject, async () =>
        proceedWith(await send(session, key), status),
      );
    },
  };
}

/** The control API brings about what nobody can ask a service for. */
function faultCheck(status: number, rules: readonly string[]): Check {
  return {
    id: `refusals.${status}.free`,
    title: `A ${status} leaves the balance as it was`,
    rules,
    level: "paid",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey();
      const subject = { credits: 0, what: `A submission that was answered ${status}` };
      await mustTake(session, key, subject, async () => {
        await session.addFault({ on: "POST /api/v1/tryon", status, times: 1 });
        proceedWith(await session.submit({}, { key }), status);
      });
    },
  };
}
