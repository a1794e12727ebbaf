import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import {
  rateAllowance,
  requestedDelay,
  callsOver,
  limitedKey,
  rejectedRequest,
} from "./allowance.ts";

const window = 60_000;

/** How many calls a key may make, and what is said to those that are too many. */
export const rateLimitChecks: readonly Check[] = [
  {
    id: "rate-limit.told",
    title: "The account tells how many calls a minute the key may make",
    rules: ["account.rate-limit-per-min.allowance", "limits.rate.values"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ rate_limit_per_min: 17 });
      const answer = await session.account({ key });
      const told = fieldsOf(answer.json)["rate_limit_per_min"];
      must(told === 17, `A key that may make 17 calls a minute tells ${String(told)}.`, answer);
    },
  },
  {
    id: "rate-limit.allowed",
    title: "A key may make as many calls a minute as its account tells",
    rules: ["account.rate-limit-per-min.allowance"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await limitedKey(session);
      for (let call = 1; call <= rateAllowance; call += 1) {
        const answer = await session.account({ key, take429: true });
        must(
          answer.status !== 429,
          `Call ${call} of a key that may make ${rateAllowance} a minute was answered 429.`,
          answer,
        );
      }
    },
  },
  {
    id: "rate-limit.refused",
    title: "A key that makes more calls than it may is answered 429",
    rules: ["errors.429.rate-limited"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const answers = await callsOver(session, await limitedKey(session));
      const passed = answers.filter(({ status }) => status !== 429).length;
      // Where time goes by itself the calls may be of two windows.
      const most = session.time.virtual ? rateAllowance : 2 * rateAllowance;
      must(
        passed <= most,
        `${passed} calls at once with a key that may make ${rateAllowance} a minute were not answered 429.`,
        answers.at(-1),
      );
    },
  },
  {
    id: "rate-limit.per-key",
    title: "The calls of one key do not count against another of its account",
    rules: ["limits.rate.per-key"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const { key } = await rejectedRequest(session);
      const sibling = await session.freshKey({
        rate_limit_per_min: rateAllowance,
        ...(key.accountId !== undefined && { account_id: key.accountId }),
      });
      const answer = await session.account({ key: sibling, take429: true });
      must(
        answer.status !== 429,
        "The first call of a key was answered 429 after too many calls of another.",
        answer,
      );
    },
  },
  {
    id: "rate-limit.retry-after",
    title: "After the pause that Retry-After asks for, a minute at most, the key may call again",
    rules: ["errors.429.retry-after"],
    level: "full",
    on: "any",
    credits: 0,
    async run(session) {
      const { key, answer } = await rejectedRequest(session);
      const pause = requestedDelay(answer);
      if (pause === undefined) {
        throw new SkipCheck("There is no Retry-After to be read, which other checks look at.");
      }
      must(
        pause > 0 && pause <= window + 1_000,
        `Retry-After asks for ${pause / 1_000} s, and not for a part of a minute.`,
        answer,
      );
      await session.time.pass(pause + 50);
      const next = await session.account({ key, take429: true });
      must(next.status !== 429, "After the pause that Retry-After asked for came a 429.", next);
    },
  },
  {
    id: "rate-limit.headers",
    title: "X-RateLimit-Limit and -Remaining, where they are sent, tell the truth",
    rules: ["errors.429.rate-limit-headers"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const answers = await callsOver(session, await limitedKey(session));
      if (!answers.some(({ headers }) => headers.has("x-ratelimit-limit"))) {
        throw new SkipCheck("This deployment sends no X-RateLimit-Limit.");
      }
      answers.forEach((answer, index) => {
        const limit = header(answer, "limit");
        must(
          limit === undefined || limit === rateAllowance,
          `X-RateLimit-Limit is ${limit} for a key that may make ${rateAllowance} calls a minute.`,
          answer,
        );
        const remaining = header(answer, "remaining");
        const left = Math.max(0, rateAllowance - index - 1);
        // Where time goes by itself a window may have ended in between.
        const fits = session.time.virtual ? remaining === left : Number(remaining) <= rateAllowance;
        must(
          remaining === undefined || fits,
          `X-RateLimit-Remaining of call ${index + 1} is ${remaining}, and not ${left}.`,
          answer,
        );
      });
    },
  },
  {
    id: "rate-limit.reset",
    title: "X-RateLimit-Reset, where it is sent, is less than a minute away",
    rules: ["errors.429.reset-unit"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const { answer } = await rejectedRequest(session);
      const reset = header(answer, "reset");
      if (reset === undefined) throw new SkipCheck("This deployment sends no X-RateLimit-Reset.");
      const now = Date.parse(answer.headers.get("date") ?? "") / 1_000;
      const away = [reset, reset - now].some((seconds) => seconds >= 0 && seconds <= 61);
      must(
        away,
        `X-RateLimit-Reset is ${reset}, neither seconds until the end of the window nor its time.`,
        answer,
      );
    },
  },
];

function header({ headers }: HttpResponse, name: string): number | undefined {
  const text = headers.get(`x-ratelimit-${name}`);
  return text === null ? undefined : Number(text);
}
