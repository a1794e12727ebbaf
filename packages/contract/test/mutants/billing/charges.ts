import type { Mock } from "@tryon/mock";

import { elementsOf, fieldsOf } from "../../../src/wire/response.ts";
import type { Fetch, Mutant } from "../mutant.ts";
import {
  asksAccount,
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

/** Credits that are charged with a refusal. */
function chargesRefusals(status: number): Mutant {
  return {
    name: `charges a try-on with a ${status}`,
    section: "Errors",
    expected: [`refusals.${status}.free`],
    plant: (mock) =>
      miscounted(mock, async (call, books) => {
        const response = await call.send();
        if (response.status !== status || !(submits(call) || polls(call))) return response;
        // What is refused beside others at the same time is another story.
        const first = ((await mock.ledger(call.token))?.entries.length ?? 0) <= 1;
        // A key that is almost right may be taken for the right one.
        const token = status === 401 ? call.token.slice(0, -1) : call.token;
        if (status !== 402 || first) books.add(token, -8);
        return response;
      }),
  };
}

/** Deviations in what is charged, and in what an account says. */
export const chargeMutants: readonly Mutant[] = [
  ...[400, 401, 402, 404, 409, 422, 429, 500, 503].map(chargesRefusals),
  {
    name: "charges a key that may not be used",
    section: "Errors",
    expected: ["refusals.403.free"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        const response = await call.send();
        const { balance } = await fieldsIn(response);
        const untouched = call.path === "/__mock/ledger" && balance === 100;
        return untouched ? rewritten(response, { fields: { balance: 92 } }) : response;
      }),
  },
  {
    name: "lets the balance go below 0 when submissions come at once",
    section: "Limits",
    expected: ["credits.at-once"],
    plant: (mock) => {
      let underWay = 0;
      return miscounted(mock, async (call, books) => {
        if (!submits(call)) return call.send();
        underWay += 1;
        const alone = underWay === 1;
        try {
          const response = await call.send();
          if (alone || response.status !== 402) return response;
          books.add(call.token, -8);
          return await call.send({ headers: { authorization: `Bearer ${mock.keys.test}` } });
        } finally {
          underWay -= 1;
        }
      });
    },
  },
  {
    name: "charges a job when it has ended",
    section: "States and transitions",
    expected: ["credits.before-generation"],
    plant: chargedAtEnd,
  },
  {
    name: "makes a smaller image when the credits do not hold the one that was asked for",
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
    name: "wants one credit more than a try-on costs",
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
    name: "keeps a ledger that lacks its last entry",
    section: "Limits",
    expected: ["credits.ledger"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        const response = await call.send();
        if (call.path !== "/__mock/ledger") return response;
        const { entries } = await fieldsIn(response);
        return rewritten(response, { fields: { entries: elementsOf(entries).slice(0, -1) } });
      }),
  },
  {
    name: "says of a failed job that it cost nothing",
    section: "Errors",
    expected: ["credits.failed-job.cost"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        const response = await call.send();
        const failed = polls(call) && (await fieldsIn(response))["status"] === "failed";
        return failed ? rewritten(response, { fields: { cost_credits: 0 } }) : response;
      }),
  },
  {
    name: "does not know a key any more whose content was refused three times",
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
  {
    name: "reports one credit more for 1K than it takes",
    section: "Output sizes and cost",
    expected: ["costs.1k"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        const response = await call.send();
        const { status, cost_credits: cost } = await fieldsIn(response);
        return polls(call) && status === "succeeded" && cost === 8
          ? rewritten(response, { fields: { cost_credits: 9 } })
          : response;
      }),
  },
  ...["2K", "4K"].map((size): Mutant => ({
    name: `takes less for ${size} than it says`,
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
    name: "shows on every key of an account the label of the first",
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
    name: "rounds the balance down to tens",
    section: "AccountResponse",
    expected: ["account.balance"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        const response = await call.send();
        const { credits_remaining: balance } = await fieldsIn(response);
        return asksAccount(call) && balance === 37
          ? rewritten(response, { fields: { credits_remaining: 30 } })
          : response;
      }),
  },
  {
    name: "tells another price of 4K than it takes",
    section: "AccountResponse",
    expected: ["account.costs"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        const response = await call.send();
        const { tryon_cost_credits: costs } = await fieldsIn(response);
        return asksAccount(call) && costs !== undefined
          ? rewritten(response, {
              fields: { tryon_cost_credits: { ...fieldsOf(costs), "4K": 16 } },
            })
          : response;
      }),
  },
  {
    name: "does not count calls that it refuses",
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
  {
    name: "counts calls only from time to time",
    section: "AccountResponse",
    expected: ["account.total-calls"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        const response = await call.send();
        // The key of the run is the one that has a label of that name.
        const { name } = await fieldsIn(response);
        return asksAccount(call) && name === "contract"
          ? rewritten(response, { fields: { total_calls: 1_000 } })
          : response;
      }),
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
