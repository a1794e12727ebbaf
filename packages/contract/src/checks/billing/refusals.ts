import { must } from "../../outcome.ts";
import type { SubmitOptions } from "../../session.ts";
import type { Session } from "../../session.ts";
import type { HttpResponse } from "../../wire/response.ts";
import { jobIdOf } from "../../submission.ts";
import { checkGroup, mustHaveStatus, type CheckRow } from "../expectations.ts";
import { unknownJobId } from "./account.ts";
import { mustChangeBalance, payingKey, readBalance, skipUnlessStatus } from "./balance.ts";
import { submitFirst } from "./idempotency.ts";
import { refusedRequest } from "./rate-limit.ts";
import type { Key } from "../../target/keys.ts";

/** A request that the service refuses, and that must not cost anything. */
interface Refusal {
  readonly status: number;
  readonly what: string;
  /** @default `errors.<status>.not-charged` */
  readonly rule?: string;
  /** Credits that a deployment could take if it does not refuse the request. Without them the key is a new one. */
  readonly credits?: number;
  readonly newKey?: Parameters<Session["freshKey"]>[0];
  readonly send: (session: Session, key: Key) => Promise<HttpResponse>;
}

const refusals: readonly Refusal[] = [
  {
    status: 400,
    what: "a submission without a person",
    credits: 8,
    send: (session, key) => session.submit({ person_image_b64: undefined }, { key }),
  },
  {
    status: 401,
    what: "a submission with a key that differs by one character",
    credits: 0,
    send: (session, key) => session.submit({}, { key: `${key.token}0` }),
  },
  {
    status: 404,
    what: "a poll of an unknown job",
    credits: 0,
    send: (session, key) => session.poll(unknownJobId(session), { key }),
  },
  {
    status: 422,
    what: "a submission with a seed below 0",
    credits: 8,
    send: (session, key) => session.submit({ seed: -1 }, { key }),
  },
  {
    status: 402,
    what: "a submission with too few credits",
    newKey: { credits: 7 },
    send: (session, key) => session.submit({}, { key }),
  },
  ...[500, 503].map((status) => ({
    status,
    what: `a submission during a fault with ${status}`,
    rule: status === 503 ? "errors.503.charge" : "errors.500.not-charged",
    send: (session: Session, key: Key) => submitDuringFault(session, status, { key }),
  })),
];

/** Refused requests, which never take credits. */
export const refusalChecks = checkGroup({ level: "paid", on: "any", credits: 0 }, [
  ...refusals.map(refusalCheck),
  {
    id: "refusals.409.free",
    title: "Takes no credits with a 409",
    rules: ["errors.409.not-charged"],
    on: "live",
    credits: 16,
    async run(session) {
      const key = await payingKey(session);
      const { first, options } = await submitFirst(session, key);
      await session.waitForEnd(jobIdOf(first), { key });
      const what = "a submission with the idempotency key of another body";
      await mustChangeBalance(session, key, { by: 0, what }, async () =>
        skipUnlessStatus(await session.submit({ seed: 7 }, options), 409),
      );
    },
  },
  {
    id: "refusals.403.free",
    title: "Takes no credits with a 403",
    rules: ["errors.403.not-charged"],
    async run(session) {
      const key = await session.freshKey({ state: "disabled", credits: 100 });
      const response = await session.submit({}, { key });
      skipUnlessStatus(response, 403);
      // A disabled key cannot read its account.
      const { balance } = await session.control.get(`ledger?api_key=${key.token}`);
      const message = `A submission with 403 left ${String(balance)} of 100 credits.`;
      must(balance === 100, message, response);
    },
  },
  {
    id: "refusals.429.free",
    title: "Takes no credits with a 429",
    rules: ["errors.429.not-charged"],
    level: "full",
    async run(session) {
      const { key } = await refusedRequest(session);
      const response = await session.submit({}, { key, return429: true });
      skipUnlessStatus(response, 429);
      await session.time.pass(61_000);
      const balance = await readBalance(session, key);
      must(balance === 100, `A submission with 429 left ${balance} of 100 credits.`, response);
    },
  },
  {
    id: "refusals.503.later",
    title: "Takes a submission with 503 when it is retried under its key",
    rules: ["errors.503.back-off"],
    async run(session) {
      const options = { key: await session.freshKey(), idempotencyKey: session.unique() };
      skipUnlessStatus(await submitDuringFault(session, 503, options), 503);
      mustHaveStatus(await session.submit({}, options), 200, "a retry after a 503");
    },
  },
]);

function refusalCheck({ status, what, rule, credits, newKey, send }: Refusal): CheckRow {
  return {
    id: `refusals.${status}.free`,
    title: `Takes no credits with a ${status}`,
    rules: [rule ?? `errors.${status}.not-charged`],
    ...(credits !== undefined && { on: "live", credits }),
    async run(session) {
      const key = await (credits === undefined ? session.freshKey(newKey) : payingKey(session));
      await mustChangeBalance(session, key, { by: 0, what }, async () =>
        skipUnlessStatus(await send(session, key), status),
      );
    },
  };
}

/** Submits a try-on while the service fails once. */
async function submitDuringFault(
  session: Session,
  status: number,
  options: SubmitOptions,
): Promise<HttpResponse> {
  await session.addFault({ on: "POST /api/v1/tryon", status, times: 1 });
  return session.submit({}, options);
}
