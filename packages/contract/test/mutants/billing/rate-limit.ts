import { fieldsIn, refusal, responses, rewritten, type Change } from "../mutated-responses.ts";
import { mutants } from "../mutant.ts";

/** Changes a header of responses to keys with a low limit, because the pacing of the kit reads it. */
function changedHeader(header: string, change: (value: number) => number): Change {
  return responses((response) => {
    const value = response.headers.get(header);
    if (value === null || response.headers.get("x-ratelimit-limit") !== "3") return undefined;
    return rewritten(response, { headers: { [header]: String(change(Number(value))) } });
  });
}

export const rateLimitMutants = mutants({
  "rate-limit.refused: allows one request too many in each minute":
    ({ mock, notes }) =>
    async (request) => {
      const response = await request.send();
      const name = `${request.token} ${Math.floor(mock.clock.now() / 60_000)}`;
      if (request.kind !== "account" || response.status !== 429 || notes.has(name)) {
        return response;
      }
      notes.add(name);
      const headers = { authorization: `Bearer ${mock.keys.live}` };
      const names = ["limit", "remaining", "reset"].map((word) => [`x-ratelimit-${word}`, null]);
      return rewritten(await request.send({ headers }), { headers: Object.fromEntries(names) });
    },
  "rate-limit.allowed: refuses the last request within the limit": responses(
    ({ headers, status }) => {
      const isLast = headers.get("x-ratelimit-remaining") === "0" && status === 200;
      if (!isLast || headers.get("x-ratelimit-limit") !== "3") return undefined;
      return refusal(429, undefined, { ...Object.fromEntries(headers), "retry-after": "20" });
    },
  ),
  "rate-limit.per-key: counts the requests of all keys of an account together": ({
    notes: limited,
  }) => {
    const accounts = new Map<string, string>();
    return async (request) => {
      const { kind, token } = request;
      const account = accounts.get(token) ?? "";
      const others = [...limited].filter((one) => one !== token && !limited.has(token));
      if (kind === "account" && others.some((other) => accounts.get(other) === account)) {
        return refusal(429, undefined, { "retry-after": "20" });
      }
      const response = await request.send();
      if (kind === "make-key") {
        const made = await fieldsIn(response);
        accounts.set(String(made["api_key"]), String(made["account_id"]));
      }
      if (response.status === 429) limited.add(token);
      return response;
    };
  },
  "rate-limit.retry-after: has milliseconds in Retry-After": changedHeader(
    "retry-after",
    (seconds) => seconds * 1_000,
  ),
  "rate-limit.headers: has one request too many in X-RateLimit-Remaining": changedHeader(
    "x-ratelimit-remaining",
    (left) => left + 1,
  ),
  "rate-limit.reset: has milliseconds in X-RateLimit-Reset": changedHeader(
    "x-ratelimit-reset",
    (seconds) => seconds * 1_000,
  ),
});
