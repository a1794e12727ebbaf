import { mutants, type Mutant } from "../mutant.ts";
import { asksAccount, fieldsIn, makesKey, refusal, rewritten, tampered } from "../tampering.ts";

const section = "Limits";

/** Changes a header of responses to keys with a low limit, because the pacing of the kit reads it. */
function changedHeader(header: string, change: (value: number) => number): Mutant["plant"] {
  return (mock) =>
    tampered(mock, async (call) => {
      const response = await call.send();
      const value = response.headers.get(header);
      if (value === null || response.headers.get("x-ratelimit-limit") !== "3") return response;
      return rewritten(response, { headers: { [header]: String(change(Number(value))) } });
    });
}

/** Mutants in the rate limit. */
export const rateLimitMutants: readonly Mutant[] = [
  {
    name: "allows one request too many in each minute",
    section,
    expected: ["rate-limit.refused"],
    plant: (mock) => {
      const extra = new Set<string>();
      return tampered(mock, async (call) => {
        const response = await call.send();
        const minute = Math.floor(mock.clock.now() / 60_000);
        const name = `${call.token} ${minute}`;
        if (!asksAccount(call) || response.status !== 429 || extra.has(name)) return response;
        extra.add(name);
        const passed = await call.send({ headers: { authorization: `Bearer ${mock.keys.live}` } });
        const names = ["limit", "remaining", "reset"].map((word) => `x-ratelimit-${word}`);
        return rewritten(passed, { headers: Object.fromEntries(names.map((one) => [one, null])) });
      });
    },
  },
  {
    name: "refuses the last request within the limit",
    section,
    expected: ["rate-limit.allowed"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        const response = await call.send();
        const { headers } = response;
        const last = headers.get("x-ratelimit-remaining") === "0" && response.status === 200;
        if (!last || headers.get("x-ratelimit-limit") !== "3") return response;
        return rewritten(response, {
          status: 429,
          fields: { detail: "Rate limit exceeded." },
          headers: { "retry-after": "20" },
        });
      }),
  },
  {
    name: "counts the requests of all keys of an account together",
    section,
    expected: ["rate-limit.per-key"],
    plant: (mock) => {
      const accounts = new Map<string, string>();
      const limited = new Set<string>();
      return tampered(mock, async (call) => {
        const account = accounts.get(call.token) ?? "";
        const own = limited.has(call.token);
        if (
          asksAccount(call) &&
          !own &&
          [...limited].some((token) => accounts.get(token) === account)
        ) {
          return rewritten(refusal(429), { headers: { "retry-after": "20" } });
        }
        const response = await call.send();
        if (makesKey(call)) {
          const made = await fieldsIn(response);
          accounts.set(String(made["api_key"]), String(made["account_id"]));
        }
        if (response.status === 429) limited.add(call.token);
        return response;
      });
    },
  },
  ...mutants(section, changedHeader, {
    "rate-limit.retry-after": [
      "has milliseconds in Retry-After",
      "retry-after",
      (seconds) => seconds * 1_000,
    ],
    "rate-limit.headers": [
      "has one request too many in X-RateLimit-Remaining",
      "x-ratelimit-remaining",
      (left) => left + 1,
    ],
    "rate-limit.reset": [
      "has milliseconds in X-RateLimit-Reset",
      "x-ratelimit-reset",
      (seconds) => seconds * 1_000,
    ],
  }),
];
