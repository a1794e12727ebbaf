import type { Mock } from "@tryon/mock";

import { elementsOf, fieldsOf } from "../../../src/wire/response.ts";
import { mutants, type Fetch, type Mutant } from "../mutant.ts";
import {
  asksAccount,
  changedFields,
  fieldsIn,
  miscounted,
  polls,
  refusal,
  rewritten,
  submits,
  tampered,
  type TamperedCall,
} from "../tampering.ts";

const year = 365 * 86_400_000;

/** Makes a mutant that takes credits for a refusal. */
function chargesRefusals(status: number): Mutant {
  return {
    name: `charges a try-on with a ${status}`,
    section: "Errors",
    expected: [`refusals.${status}.free`],
    plant: (mock) =>
      miscounted(mock, async (call, books) => {
        const response = await call.send();
        if (response.status !== status || !(submits(call) || polls(call))) return response;
        // Other mutants change concurrent refusals.
        const first = ((await mock.ledger(call.token))?.entries.length ?? 0) <= 1;
        // The wrong key is the right one with a suffix.
        const token = status === 401 ? call.token.slice(0, -1) : call.token;
        if (status !== 402 || first) books.add(token, -8);
        return response;
      }),
  };
}

/** Mutants that only change fields of responses. */
const fieldMutants: readonly Mutant[] = [
  ...mutants("Errors", changedFields, {
    "refusals.403.free": [
      "charges a disabled key",
      ({ balance }, { path }) =>
        path === "/__mock/ledger" && balance === 100 ? { balance: 92 } : undefined,
    ],
    "credits.failed-job.cost": [
      "reports no cost for a failed job",
      ({ status }, call) => (polls(call) && status === "failed" ? { cost_credits: 0 } : undefined),
    ],
  }),
  ...mutants("Limits", changedFields, {
    "credits.ledger": [
      "omits the last entry of the ledger",
      ({ entries }, { path }) =>
        path === "/__mock/ledger" ? { entries: elementsOf(entries).slice(0, -1) } : undefined,
    ],
  }),
  ...mutants("Output sizes and cost", changedFields, {
    "costs.1k": [
      "reports one credit more for 1K than it takes",
      ({ status, cost_credits: cost }, call) =>
        polls(call) && status === "succeeded" && cost === 8 ? { cost_credits: 9 } : undefined,
    ],
  }),
  ...mutants("AccountResponse", changedFields, {
    "account.balance": [
      "rounds the balance down to tens",
      ({ credits_remaining: balance }, call) =>
        asksAccount(call) && balance === 37 ? { credits_remaining: 30 } : undefined,
    ],
    "account.costs": [
      "has another price of 4K in the account",
      ({ tryon_cost_credits: costs }, call) =>
        asksAccount(call) && costs !== undefined
          ? { tryon_cost_credits: { ...fieldsOf(costs), "4K": 16 } }
          : undefined,
    ],
    "account.total-calls": [
      "counts few requests",
      // The kit gives its keys this label.
      ({ name }, call) =>
        asksAccount(call) && name === "contract" ? { total_calls: 1_000 } : undefined,
    ],
    "rate-limit.account": [
      "has another rate limit in the account",
      ({ rate_limit_per_min: limit }, call) =>
        asksAccount(call) && limit === 17 ? { rate_limit_per_min: 60 } : undefined,
    ],
  }),
];

/** Mutants in charges and accounts. */
export const chargeMutants: readonly Mutant[] = [
  ...[400, 401, 402, 404, 409, 422, 429, 500, 503].map(chargesRefusals),
  ...fieldMutants,
  {
    name: "lets concurrent submissions take the balance below 0",
    section: "Limits",
    expected: ["credits.at-once"],
    plant: (mock) => {
      let pending = 0;
      return miscounted(mock, async (call, books) => {
        if (!submits(call)) return call.send();
        pending += 1;
        const alone = pending === 1;
        try {
          const response = await call.send();
          if (alone || response.status !== 402) return response;
          books.add(call.token, -8);
          return await call.send({ headers: { authorization: `Bearer ${mock.keys.test}` } });
        } finally {
          pending -= 1;
        }
      });
    },
  },
  {
    name: "charges a job at its end",
    section: "States and transitions",
    expected: ["credits.before-generation"],
    plant: chargedAtEnd,
  },
  {
    name: "makes a smaller image with too few credits",
    section: "Errors",
    expected: ["credits.too-few"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        const response = await call.send();
        if (!submits(call) || response.status !== 402 || call.body["output_size"] !== "4K") {
          return response;
        }
        return call.send({ body: { ...call.body, output_size: "1K" } });
      }),
  },
  {
    name: "requires one credit more than a try-on costs",
    section: "Errors",
    expected: ["credits.enough"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        if (!submits(call) || call.body["output_size"] !== "2K") return call.send();
        const ledger = await mock.ledger(call.token);
        return ledger?.balance === 12 ? refusal(402) : call.send();
      }),
  },
  {
    name: "lets credits expire after a year",
    section: "What the service does",
    expected: ["credits.never-expire"],
    plant: (mock) => {
      const seen = new Map<string, number>();
      return tampered(mock, async (call) => {
        const response = await call.send();
        if (!asksAccount(call) || response.status !== 200) return response;
        const now = mock.clock.now();
        const since = seen.get(call.token) ?? now;
        seen.set(call.token, since);
        return now - since > year
          ? rewritten(response, { fields: { credits_remaining: 0 } })
          : response;
      });
    },
  },
  {
    name: "forgets a key after three jobs with blocked content",
    section: "Errors",
    expected: ["credits.content-blocked.suspension"],
    plant: (mock) => {
      const refused = new Map<string, Set<string>>();
      return tampered(mock, async (call) => {
        const known = refused.get(call.token) ?? new Set();
        refused.set(call.token, known);
        if (submits(call) && known.size >= 3) return refusal(401);
        const response = await call.send();
        const { error_message: message, job_id: jobId } = await fieldsIn(response);
        if (polls(call) && message === "content_blocked") known.add(String(jobId));
        return response;
      });
    },
  },
  ...["2K", "4K"].map((size): Mutant => ({
    name: `takes less for ${size} than it reports`,
    section: "Output sizes and cost",
    expected: [`costs.${size.toLowerCase()}`],
    plant: (mock) =>
      miscounted(mock, async (call, books) => {
        const response = await call.send();
        const sized = submits(call) && call.body["output_size"] === size;
        if (sized && response.status === 200 && isLive(call)) books.add(call.token, 2);
        return response;
      }),
  })),
  {
    name: "charges test keys",
    section: "Authentication",
    expected: ["costs.test-key"],
    plant: (mock) =>
      miscounted(mock, async (call, books) => {
        const response = await call.send();
        const taken = submits(call) && response.status === 200 && call.idempotencyKey === "";
        if (taken && !isLive(call)) books.add(call.token, -8);
        return response;
      }),
  },
  {
    name: "shows the label of the first key for every key of an account",
    section: "AccountResponse",
    expected: ["account.name"],
    plant: (mock) => {
      let first: unknown;
      return tampered(mock, async (call) => {
        const response = await call.send();
        if (!asksAccount(call) || response.status !== 200) return response;
        const { name } = await fieldsIn(response);
        if (typeof name === "string" && name !== "contract") first ??= name;
        return rewritten(response, { fields: { name: first ?? name } });
      });
    },
  },
  {
    name: "does not count refused requests",
    section: "AccountResponse",
    expected: ["account.total-calls.refused"],
    plant: (mock) => {
      const refused = new Map<string, number>();
      return tampered(mock, async (call) => {
        const response = await call.send();
        const { token } = call;
        const known = refused.get(token) ?? 0;
        if (response.status === 422) refused.set(token, known + 1);
        return asksAccount(call) && response.status === 200
          ? rewritten(response, {
              fields: ({ total_calls: calls }) => ({ total_calls: Number(calls) - known }),
            })
          : response;
      });
    },
  },
];

function isLive({ token }: TamperedCall): boolean {
  return token.startsWith("svc_live_");
}

function chargedAtEnd(mock: Mock): Fetch {
  const running = new Map<string, { token: string; credits: number }>();
  const known = new Set<unknown>();
  return tampered(mock, async (call) => {
    const response = await call.send();
    if (response.status !== 200) return response;
    const { job_id: jobId, status, cost_credits: cost } = await fieldsIn(response);
    if (submits(call) && !known.has(jobId)) {
      running.set(String(jobId), { token: call.token, credits: Number(cost) });
    }
    known.add(jobId);
    const ended = status === "succeeded" || status === "failed";
    if (polls(call) && ended) running.delete(String(jobId));
    if (!asksAccount(call)) return response;
    const owed = [...running.values()]
      .filter(({ token }) => token === call.token)
      .reduce((sum, { credits }) => sum + credits, 0);
    return rewritten(response, {
      fields: ({ credits_remaining: credits }) => ({ credits_remaining: Number(credits) + owed }),
    });
  });
}
