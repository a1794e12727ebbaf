import { must, need } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { retryAfter } from "../../target/request-pacer.ts";
import type { HttpResponse } from "../../wire/response.ts";
import { gatewayOf } from "../../wire/gateway.ts";
import { checkRows, mustHave } from "../expectations.ts";

const window = 60_000;

const requestLimit = 3;

export const rateLimitChecks = checkRows("safe", 0, {
  "rate-limit.account": {
    title: "Shows the requests per minute of the key in its account",
    rules: ["account.rate-limit-per-min.allowance", "limits.rate.values"],
    newKey: { rate_limit_per_min: 17 },
    async run({ http }) {
      const what = "the account of a key with 17 requests a minute";
      mustHave(await http.account(), { rate_limit_per_min: 17 }, what);
    },
  },
  "rate-limit.allowed": {
    title: "Takes as many requests a minute as the account shows",
    rules: ["account.rate-limit-per-min.allowance"],
    async run(session) {
      const responses = await exceedLimit(session);
      for (const [index, response] of responses.slice(0, requestLimit).entries()) {
        const message = `Request ${index + 1} of ${requestLimit} a minute got 429.`;
        must(response.status !== 429, message, response);
      }
    },
  },
  "rate-limit.refused": {
    title: "Responds with 429 to requests over the limit",
    rules: ["errors.429.rate-limited"],
    async run(session) {
      const responses = await exceedLimit(session);
      const taken = responses.filter(({ status }) => status !== 429).length;
      // In real time the requests may fall into two windows.
      const max = session.time.virtual ? requestLimit : 2 * requestLimit;
      const message = `${taken} requests at once passed a limit of ${requestLimit} a minute.`;
      must(taken <= max, message, responses.at(-1));
    },
  },
  "rate-limit.per-key": {
    title: "Counts the requests of each key of an account separately",
    rules: ["limits.rate.per-key"],
    async run(session) {
      await refusedRequest(session);
      const sibling = await session.keys.sibling({ rate_limit_per_min: requestLimit });
      const response = await session.http.account({ key: sibling, return429: true });
      const message = "The first request of a key got 429 after too many requests of another key.";
      must(response.status !== 429, message, response);
    },
  },
  "rate-limit.retry-after": {
    title: "Takes requests again after Retry-After, which is at most a minute",
    rules: ["errors.429.retry-after"],
    level: "full",
    async run(session) {
      const response = await refusedRequest(session);
      const delay = retryAfter(response);
      need(delay !== undefined, "The 429 has no valid Retry-After, which has other checks.");
      const message = `Retry-After is ${delay / 1_000} s, and not at most a minute.`;
      must(delay > 0 && delay <= window + 1_000, message, response);
      await session.time.pass(delay + 50);
      const next = await session.http.account({ return429: true });
      must(next.status !== 429, "A request after Retry-After got 429.", next);
    },
  },
  "rate-limit.headers": {
    title: "Has the true values in X-RateLimit-Limit and -Remaining if it sends them",
    rules: ["errors.429.which-headers"],
    async run(session) {
      const responses = await exceedLimit(session);
      const hasLimit = responses.some(({ headers }) => headers.has("x-ratelimit-limit"));
      need(hasLimit, "The deployment sends no X-RateLimit-Limit.");
      responses.forEach((response, index) => {
        const limit = header(response, "limit") ?? requestLimit;
        const limitMessage = `X-RateLimit-Limit is ${limit} for a limit of ${requestLimit} requests a minute.`;
        must(limit === requestLimit, limitMessage, response);
        const left = Math.max(0, requestLimit - index - 1);
        const remaining = header(response, "remaining") ?? left;
        // In real time a new window may have begun.
        const fits = session.time.virtual ? remaining === left : remaining <= requestLimit;
        const message = `X-RateLimit-Remaining of request ${index + 1} is ${remaining}, and not ${left}.`;
        must(fits, message, response);
      });
    },
  },
  "rate-limit.reset": {
    title: "Has a time at most a minute away in X-RateLimit-Reset if it sends it",
    rules: ["errors.429.reset-unit"],
    async run(session) {
      const response = await refusedRequest(session);
      const reset = header(response, "reset");
      need(reset !== undefined, "The deployment sends no X-RateLimit-Reset.");
      const isSeconds = reset >= 0 && reset <= 61;
      const gateway = isSeconds ? undefined : gatewayOf(response);
      need(gateway === undefined, `The Date of the 429 is that of ${gateway}, with its own clock.`);
      const now = Date.parse(response.headers.get("date") ?? "") / 1_000;
      must(
        [reset, reset - now].some((seconds) => seconds >= 0 && seconds <= 61),
        `X-RateLimit-Reset is ${reset}, which is neither the seconds until the end of the window nor its time.`,
        response,
      );
    },
  },
});

/**
 * Gives the check a new key with 100 credits, and sends one request more than two windows allow. With a virtual clock a new
 * window has just begun.
 */
async function exceedLimit({ http, keys, time }: Session): Promise<readonly HttpResponse[]> {
  keys.own = await keys.make({ credits: 100, rate_limit_per_min: requestLimit });
  if (time.virtual) await time.pass(window - (time.now() % window) + 500);
  const responses: HttpResponse[] = [];
  for (let request = 0; request <= 2 * requestLimit; request += 1) {
    responses.push(await http.account({ return429: true }));
  }
  return responses;
}

export async function refusedRequest(session: Session): Promise<HttpResponse> {
  const response = (await exceedLimit(session)).at(-1);
  need(response?.status === 429, "The key has no rate limit, which has other checks.");
  return response;
}

function header({ headers }: HttpResponse, name: string): number | undefined {
  const text = headers.get(`x-ratelimit-${name}`);
  return text === null ? undefined : Number(text);
}
