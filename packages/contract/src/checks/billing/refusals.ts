import { must } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import type { HttpResponse } from "../../wire/response.ts";
import { jobIdOf } from "../../submission.ts";
import { checkGroup, mustHaveStatus, type CheckRow } from "../expectations.ts";
import { unknownJobId } from "./account.ts";
import { balanceChange, mustCost, payingKey, skipUnlessStatus } from "./balance.ts";
import { exceedLimit, requestLimit } from "./rate-limit.ts";
import type { Key } from "../../target/keys.ts";

const submission = "POST /api/v1/tryon";

/** A request that the service refuses, and that must not cost anything. */
interface Refusal {
  readonly status: number;
  readonly what: string;
  /** @default `errors.<status>.not-charged` */
  readonly rule?: string;
  /** Credits that a deployment could take if it does not refuse the request. Without them the key is a new one. */
  readonly credits?: number;
  readonly newKey?: Parameters<Session["freshKey"]>[0];
  /** Prepares the refusal, before the balance is read. */
  readonly prepare?: (session: Session, key: Key, idempotencyKey: string) => Promise<unknown>;
  /** @default sends a good submission */
  readonly send?: (session: Session, key: Key, idempotencyKey: string) => Promise<HttpResponse>;
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
  { status: 402, what: "a submission with too few credits", newKey: { credits: 7 } },
  {
    status: 409,
    what: "a submission with the idempotency key of another body",
    credits: 16,
    async prepare(session, key, idempotencyKey) {
      const first = await session.submit({}, { key, idempotencyKey });
      skipUnlessStatus(first, 200);
      await session.waitForEnd(jobIdOf(first), { key });
    },
    send: (session, key, idempotencyKey) => session.submit({ seed: 7 }, { key, idempotencyKey }),
  },
  // The control API makes the service fail.
  ...[500, 503].map((status) => ({
    status,
    what: `a submission during a fault with ${status}`,
    rule: status === 503 ? "errors.503.charge" : "errors.500.not-charged",
    prepare: (session: Session) => session.addFault({ on: submission, status, times: 1 }),
  })),
];

/** Refused requests, which never take credits. */
export const refusalChecks = checkGroup({ level: "paid", on: "any", credits: 0 }, [
  ...refusals.map(refusalCheck),
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
      must(
        balance === 100,
        `A submission with 403 left ${String(balance)} of 100 credits.`,
        response,
      );
    },
  },
  {
    id: "refusals.429.free",
    title: "Takes no credits with a 429",
    rules: ["errors.429.not-charged"],
    level: "full",
    async run(session) {
      const key = await session.freshKey({ credits: 100, rate_limit_per_min: requestLimit });
      const { result: response, credits } = await balanceChange(session, key, async () => {
        await exceedLimit(session, key);
        const refused = await session.submit({}, { key, return429: true });
        skipUnlessStatus(refused, 429);
        await session.time.pass(61_000);
        return refused;
      });
      must(credits === 0, `A submission with 429 took ${-credits} credits.`, response);
    },
  },
  {
    id: "refusals.503.later",
    title: "Takes a submission with 503 when it is retried under its key",
    rules: ["errors.503.back-off"],
    async run(session) {
      const options = { key: await session.freshKey(), idempotencyKey: session.unique() };
      await session.addFault({ on: submission, status: 503, times: 1 });
      skipUnlessStatus(await session.submit({}, options), 503);
      mustHaveStatus(await session.submit({}, options), 200, "a retry after a 503");
    },
  },
]);

function refusalCheck(refusal: Refusal): CheckRow {
  const { status, what, rule = `errors.${status}.not-charged`, newKey, prepare } = refusal;
  const { credits, send = submitGood } = refusal;
  return {
    id: `refusals.${status}.free`,
    title: `Takes no credits with a ${status}`,
    rules: [rule],
    ...(credits !== undefined && { on: "live", credits }),
    async run(session) {
      const key = await (credits === undefined ? session.freshKey(newKey) : payingKey(session));
      const idempotencyKey = session.unique();
      await prepare?.(session, key, idempotencyKey);
      await mustCost(session, key, { credits: 0, what }, async () =>
        skipUnlessStatus(await send(session, key, idempotencyKey), status),
      );
    },
  };
}

function submitGood(session: Session, key: Key): Promise<HttpResponse> {
  return session.submit({}, { key });
}
