import type { Mutant } from "../mutant.ts";
import { asksAccount, fieldsIn, refusal, rewritten, tampered } from "../tampering.ts";

const section = "Limits";

/** Headers of 429s that are not what they should be. */
function saying(
  name: string,
  expected: string,
  header: string,
  change: (value: number) => number,
): Mutant {
  return {
    name,
    section,
    expected: [expected],
    plant: (mock) =>
      tampered(mock, async (call) => {
        const response = await call.send();
        const value = response.headers.get(header);
        // The kit's own keys go on being paced.
        if (value === null || response.headers.get("x-ratelimit-limit") !== "3") return response;
        return rewritten(response, { headers: { [header]: String(change(Number(value))) } });
      }),
  };
}

/** Deviations in the rate limit. */
export const rateLimitMutants: readonly Mutant[] = [
  {
    name: "lets one call too many pass in each minute",
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
    name: "refuses the last call that a key may make",
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
    name: "tells a limit that is not the key's",
    section: "AccountResponse",
    expected: ["rate-limit.account"],
    plant: (mock) =>
      tampered(mock, async (call) => {
        const response = await call.send();
        const { rate_limit_per_min: limit } = await fieldsIn(response);
        return asksAccount(call) && limit === 17
          ? rewritten(response, { fields: { rate_limit_per_min: 60 } })
          : response;
      }),
  },
  {
    name: "counts the calls of all keys of an account together",
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
        if (/^\/__mock\/(keys|tenants)$/.test(call.path)) {
          const made = await fieldsIn(response);
          accounts.set(String(made["api_key"]), String(made["account_id"]));
        }
        if (response.status === 429) limited.add(call.token);
        return response;
      });
    },
  },
  saying(
    "tells Retry-After in milliseconds",
    "rate-limit.retry-after",
    "retry-after",
    (seconds) => seconds * 1_000,
  ),
  saying(
    "counts the calls that are left from the one before",
    "rate-limit.headers",
    "x-ratelimit-remaining",
    (left) => left + 1,
  ),
  saying(
    "tells X-RateLimit-Reset in milliseconds",
    "rate-limit.reset",
    "x-ratelimit-reset",
    (seconds) => seconds * 1_000,
  ),
];
