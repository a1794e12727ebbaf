import { must } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import type { RequestOptions } from "../../session/http.ts";
import type { HttpResponse } from "../../wire/response.ts";
import { jobIdOf } from "../../submission.ts";
import { checkRows, mustHaveStatus } from "../expectations.ts";
import { mustChangeBalance, skipUnlessStatus } from "./balance.ts";
import { submitFirst } from "./idempotency.ts";
import { refusedRequest } from "./rate-limit.ts";

interface Refusal {
  readonly status: number;
  readonly what: string;
  /** @default `errors.<status>.not-charged` */
  readonly rule?: string;
  /** Credits of a new key that sends the request. Without them the key of the run can send it. */
  readonly newKey?: number;
  readonly credits?: number;
  readonly send: (session: Session) => Promise<HttpResponse>;
}

const refusals: readonly Refusal[] = [
  {
    status: 400,
    what: "a submission without a person",
    credits: 8,
    send: ({ http }) => http.submit({ person_image_b64: undefined }),
  },
  {
    status: 401,
    what: "a submission with a key that differs by one character",
    send: ({ http, keys }) => http.submit({}, { key: `${keys.own.token}0` }),
  },
  {
    status: 404,
    what: "a poll of an unknown job",
    send: ({ http }) => http.poll(http.unknownJobId()),
  },
  {
    status: 422,
    what: "a submission with a seed below 0",
    credits: 8,
    send: ({ http }) => http.submit({ seed: -1 }),
  },
  {
    status: 402,
    what: "a submission with too few credits",
    newKey: 7,
    send: ({ http }) => http.submit(),
  },
  ...[500, 503].map((status) => ({
    status,
    what: `a submission during a fault with ${status}`,
    rule: status === 503 ? "errors.503.charge" : "errors.500.not-charged",
    newKey: 100,
    send: (session: Session) => submitDuringFault(session, status),
  })),
];

export const refusalChecks = [
  ...refusals.flatMap(refusalCheck),
  ...checkRows("paid", 0, {
    "refusals.409.free": {
      title: "Takes no credits with a 409",
      rules: ["errors.409.not-charged"],
      credits: 16,
      async run(session) {
        await session.keys.useNew({ credits: 100 });
        const { first, options } = await submitFirst(session);
        await session.http.waitForEnd(jobIdOf(first));
        const what = "a submission with the idempotency key of another body";
        await mustChangeBalance(session, 0, what, async () =>
          skipUnlessStatus(await session.http.submit({ seed: 7 }, options), 409),
        );
      },
    },
    "refusals.403.free": {
      title: "Takes no credits with a 403",
      rules: ["errors.403.not-charged"],
      newKey: { state: "disabled", credits: 100 },
      async run({ http, keys }) {
        const response = await http.submit();
        skipUnlessStatus(response, 403);
        // A disabled key cannot read its account.
        const { balance } = await keys.control.get(`ledger?api_key=${keys.own.token}`);
        const message = `A submission with 403 left ${String(balance)} of 100 credits.`;
        must(balance === 100, message, response);
      },
    },
    "refusals.429.free": {
      title: "Takes no credits with a 429",
      rules: ["errors.429.not-charged"],
      level: "full",
      async run(session) {
        await refusedRequest(session);
        const response = await session.http.submit({}, { return429: true });
        skipUnlessStatus(response, 429);
        await session.time.pass(61_000);
        const balance = await session.http.balance();
        must(balance === 100, `A submission with 429 left ${balance} of 100 credits.`, response);
      },
    },
    "refusals.503.later": {
      title: "Takes a submission with 503 when it is retried under its key",
      rules: ["errors.503.back-off"],
      newKey: {},
      async run(session) {
        const options = { idempotencyKey: session.http.unique() };
        skipUnlessStatus(await submitDuringFault(session, 503, options), 503);
        mustHaveStatus(await session.http.submit({}, options), 200, "a retry after a 503");
      },
    },
  }),
];

function refusalCheck({ status, what, newKey, credits = 0, send, ...row }: Refusal) {
  const { rule = `errors.${status}.not-charged` } = row;
  return checkRows("paid", credits, {
    [`refusals.${status}.free`]: {
      title: `Takes no credits with a ${status}`,
      rules: [rule],
      on: newKey === undefined ? "live" : "any",
      async run(session) {
        if (newKey === undefined) await session.keys.useNew({ credits: 100 });
        else session.keys.own = await session.keys.make({ credits: newKey });
        await mustChangeBalance(session, 0, what, async () =>
          skipUnlessStatus(await send(session), status),
        );
      },
    },
  });
}

async function submitDuringFault(
  { http, keys }: Session,
  status: number,
  options?: RequestOptions,
): Promise<HttpResponse> {
  await keys.addFault({ on: "POST /api/v1/tryon", status, times: 1 });
  return http.submit({}, options);
}
