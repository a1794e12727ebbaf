import { elementsOf, fieldsOf } from "../../../src/wire/response.ts";
import {
  fieldsIn,
  patched,
  refusal,
  responses,
  rewritten,
  type Change,
  type Tamper,
} from "../mutated-responses.ts";
import { mutants } from "../mutant.ts";

const year = 365 * 86_400_000;

function chargesRefusals(status: number): Change {
  return responses(async (response, { kind, token }, { mock, addCredits }) => {
    if (response.status !== status || (kind !== "submit" && kind !== "poll")) return undefined;
    // Other mutants change concurrent refusals.
    const isFirst = ((await mock.ledger(token))?.entries.length ?? 0) <= 1;
    // The wrong key is the right one with a suffix.
    if (status !== 402 || isFirst) addCredits(status === 401 ? token.slice(0, -1) : token, -8);
    return undefined;
  });
}

function takesLess(size: string): Change {
  return patched("submit", (_fields, { token, body }, { addCredits }) => {
    if (body["output_size"] === size && isLive(token)) addCredits(token, 2);
    return undefined;
  });
}

function miscounts(status: number, by: number): Change {
  return () => {
    const counts = new Map<string, number>();
    return async ({ kind, token, send }) => {
      const response = await send();
      const count = counts.get(token) ?? 0;
      if (response.status === status) counts.set(token, count + by);
      if (kind !== "account" || response.status !== 200) return response;
      const { total_calls: requests } = await fieldsIn(response);
      return rewritten(response, { fields: { total_calls: Number(requests) + count } });
    };
  };
}

export const chargeMutants = mutants({
  ...Object.fromEntries(
    [400, 401, 402, 404, 409, 422, 429, 500, 503].map((status) => [
      `refusals.${status}.free: charges a try-on with a ${status}`,
      chargesRefusals(status),
    ]),
  ),
  "refusals.403.free: charges a disabled key": patched("ledger", ({ balance }) =>
    balance === 100 ? { balance: 92 } : undefined,
  ),
  "credits.failed-job.cost: reports no cost for a failed job": patched(
    "poll",
    { status: "failed" },
    { cost_credits: 0 },
  ),
  "credits.ledger: omits the last entry of the ledger": patched("ledger", ({ entries }) => ({
    entries: elementsOf(entries).slice(0, -1),
  })),
  "costs.1k: reports one credit more for 1K than it takes": patched(
    "poll",
    ({ status, cost_credits: cost }) =>
      status === "succeeded" && cost === 8 ? { cost_credits: 9 } : undefined,
  ),
  "costs.2k: takes less for 2K than it reports": takesLess("2K"),
  "costs.4k: takes less for 4K than it reports": takesLess("4K"),
  "account.balance: rounds the balance down to tens": patched(
    "account",
    ({ credits_remaining: balance }) => (balance === 37 ? { credits_remaining: 30 } : undefined),
  ),
  "account.costs: has another price of 4K in the account": patched(
    "account",
    ({ tryon_cost_credits: costs }) => ({
      tryon_cost_credits: { ...fieldsOf(costs), "4K": 16 },
    }),
  ),
  "account.total-calls: counts few requests": // The kit gives its keys this label.
    patched("account", ({ name }) => (name === "contract" ? { total_calls: 1_000 } : undefined)),
  "account.total-calls.refused: does not count refused requests": miscounts(422, -1),
  "rate-limit.account: has another rate limit in the account": patched(
    "account",
    ({ rate_limit_per_min: limit }) => (limit === 17 ? { rate_limit_per_min: 60 } : undefined),
  ),
  "credits.at-once: lets concurrent submissions take the balance below 0": ({
    mock,
    addCredits,
  }) => {
    let pending = 0;
    return async ({ kind, token, send }) => {
      if (kind !== "submit") return send();
      pending += 1;
      const isAlone = pending === 1;
      try {
        const response = await send();
        if (isAlone || response.status !== 402) return response;
        addCredits(token, -8);
        return await send({ headers: { authorization: `Bearer ${mock.keys.test}` } });
      } finally {
        pending -= 1;
      }
    };
  },
  "credits.before-generation: charges a job at its end": chargedAtEnd,
  "credits.too-few: makes a smaller image with too few credits":
    () =>
    async ({ kind, body, send }) => {
      const response = await send();
      const isLarge = kind === "submit" && body["output_size"] === "4K";
      if (!isLarge || response.status !== 402) return response;
      return send({ body: { ...body, output_size: "1K" } });
    },
  "credits.enough: requires one credit more than a try-on costs":
    ({ mock }) =>
    async ({ kind, token, body, send }) => {
      if (kind !== "submit" || body["output_size"] !== "2K") return send();
      return (await mock.ledger(token))?.balance === 12 ? refusal(402) : send();
    },
  "credits.never-expire: lets credits expire after a year": ({ mock }) => {
    const reads = new Map<string, number>();
    return async ({ kind, token, send }) => {
      const response = await send();
      if (kind !== "account" || response.status !== 200) return response;
      const now = mock.clock.now();
      const first = reads.get(token) ?? now;
      reads.set(token, first);
      return now - first > year
        ? rewritten(response, { fields: { credits_remaining: 0 } })
        : response;
    };
  },
  "credits.content-blocked.suspension: forgets a key after three jobs with blocked content":
    ({ notes: blocked }) =>
    async ({ kind, token, send }) => {
      const jobs = [...blocked].filter((name) => name.startsWith(`${token} `));
      if (kind === "submit" && jobs.length >= 3) return refusal(401);
      const response = await send();
      const { error_message: message, job_id: jobId } = await fieldsIn(response);
      if (kind === "poll" && message === "content_blocked") {
        blocked.add(`${token} ${String(jobId)}`);
      }
      return response;
    },
  "costs.test-key: charges test keys": patched(
    "submit",
    (_fields, { token, idempotencyKey }, { addCredits }) => {
      if (idempotencyKey === undefined && !isLive(token)) addCredits(token, -8);
      return undefined;
    },
  ),
  "account.name: shows the label of the first key for every key of an account": () => {
    let first: unknown;
    return async ({ kind, send }) => {
      const response = await send();
      if (kind !== "account" || response.status !== 200) return response;
      const { name } = await fieldsIn(response);
      if (typeof name === "string" && name !== "contract") first ??= name;
      return rewritten(response, { fields: { name: first ?? name } });
    };
  },
  "refusals.503.later: responds with 400 to a retry after a 503":
    ({ notes: failed }) =>
    async ({ kind, idempotencyKey = "", send }) => {
      if (kind === "submit" && failed.has(idempotencyKey)) return refusal(400);
      const response = await send();
      if (response.status === 503 && idempotencyKey !== "") failed.add(idempotencyKey);
      return response;
    },
  "account.total-calls.refused: counts requests over the rate limit": miscounts(429, 1),
});

function isLive(token: string): boolean {
  return token.startsWith("svc_live_");
}

function chargedAtEnd(): Tamper {
  const running = new Map<unknown, { token: string; credits: number }>();
  const known = new Set<unknown>();
  return async ({ kind, token, send }) => {
    const response = await send();
    if (response.status !== 200) return response;
    const fields = await fieldsIn(response);
    const { job_id: jobId, status } = fields;
    if (kind === "submit" && !known.has(jobId)) {
      running.set(jobId, { token, credits: Number(fields["cost_credits"]) });
    }
    known.add(jobId);
    if (kind === "poll" && (status === "succeeded" || status === "failed")) running.delete(jobId);
    if (kind !== "account") return response;
    const owed = [...running.values()]
      .filter((job) => job.token === token)
      .reduce((sum, { credits }) => sum + credits, 0);
    return rewritten(response, {
      fields: { credits_remaining: Number(fields["credits_remaining"]) + owed },
    });
  };
}
