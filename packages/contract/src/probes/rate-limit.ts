import type { Probe } from "../check.ts";
import { rejectedRequest } from "../checks/billing/allowance.ts";
import type { Session } from "../session.ts";
import type { HttpResponse } from "../wire/response.ts";

/** From here on a number of seconds is a point in time, not a span. */
const longestSpan = 1_000_000;

/** What the service says of its rate limit. */
export const rateLimitProbes: readonly Probe[] = [
  {
    id: "observed.rateHeaders",
    option: "rateHeaders",
    title: "Which answers carry X-RateLimit-*",
    rules: ["errors.429.which-headers", "errors.429.rate-limit-headers"],
    level: "safe",
    on: "any",
    credits: 0,
    async observe(session) {
      if (hasHeaders(await session.account())) return "all";
      const { answer } = await rejectedRequest(session);
      return hasHeaders(answer) ? "429-only" : "none";
    },
  },
  {
    id: "observed.resetUnit",
    option: "resetUnit",
    title: "Whether X-RateLimit-Reset is a point in time or the seconds until it",
    rules: ["errors.429.reset-unit"],
    level: "safe",
    on: "any",
    credits: 0,
    async observe(session) {
      const reset = (await withReset(session)).headers.get("x-ratelimit-reset");
      if (reset === null || !/^\d+$/.test(reset)) return undefined;
      return Number(reset) > longestSpan ? "epoch" : "delta";
    },
  },
  {
    id: "observed.retryAfterFormat",
    option: "retryAfterFormat",
    title: "Whether Retry-After is a number of seconds or an HTTP date",
    rules: ["errors.429.retry-after-form"],
    level: "safe",
    on: "any",
    credits: 0,
    async observe(session) {
      const text = (await rejectedRequest(session)).answer.headers.get("retry-after") ?? "";
      if (/^\d+$/.test(text)) return "seconds";
      return Number.isNaN(Date.parse(text)) ? undefined : "date";
    },
  },
];

function hasHeaders({ headers }: HttpResponse): boolean {
  return [...headers.keys()].some((name) => name.startsWith("x-ratelimit-"));
}

/** An answer that is likely to carry X-RateLimit-Reset. */
async function withReset(session: Session): Promise<HttpResponse> {
  const answer = await session.account();
  if (answer.headers.has("x-ratelimit-reset")) return answer;
  return (await rejectedRequest(session)).answer;
}
