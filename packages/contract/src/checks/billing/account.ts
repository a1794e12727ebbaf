import { must } from "../../outcome.ts";
import type { Session } from "../../session.ts";
import { costs } from "../../target/budget.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { checkGroup, mustHave, type Condition } from "../expectations.ts";

const knownCosts: Condition = {
  text: JSON.stringify(costs),
  passes: (value) => Object.entries(costs).every(([size, cost]) => fieldsOf(value)[size] === cost),
};

/** Fields of GET /api/v1/account. */
export const accountChecks = checkGroup({ level: "safe", on: "any", credits: 0 }, [
  {
    id: "account.name",
    title: "Shows the label of the key, and not that of another key",
    rules: ["account.name.label", "account.request-and-answer"],
    async run(session) {
      const key = await session.freshKey({ name: "the label of the contract" });
      const sibling = await session.siblingKey(key, { name: "another label" });
      const [first, second] = [
        await session.account({ key }),
        await session.account({ key: sibling }),
      ];
      mustHave(
        first,
        { name: "the label of the contract" },
        "the account of a key with this label",
      );
      mustHave(second, { name: "another label" }, "the account of a second key");
    },
  },
  {
    id: "account.balance",
    title: "Shows the current balance of the key",
    rules: ["account.credits-remaining.balance"],
    async run(session) {
      const response = await session.account({ key: await session.freshKey({ credits: 37 }) });
      mustHave(response, { credits_remaining: 37 }, "the account of a key with 37 credits");
    },
  },
  {
    id: "account.costs",
    title: "Shows the cost of each size: 8, 12 and 20 credits",
    rules: ["account.tryon-cost-credits.costs"],
    async run(session) {
      mustHave(await session.account(), { tryon_cost_credits: knownCosts }, "the account");
    },
  },
  {
    id: "account.total-calls",
    title: "Counts the requests of the key",
    rules: ["account.total-calls.lifetime"],
    async run(session) {
      const before = await session.account();
      await session.account();
      const after = await session.account();
      const counted = requestsIn(after) - requestsIn(before);
      must(counted >= 2, `total_calls rose by ${counted} over 2 requests.`, after);
    },
  },
  {
    id: "account.total-calls.refused",
    title: "Counts requests that it refuses for their content, and not those over the rate limit",
    rules: ["account.total-calls.what-counts"],
    level: "full",
    async run(session) {
      const key = await session.freshKey({ rate_limit_per_min: 4 });
      const options = { key, return429: true };
      const before = await session.account(options);
      const responses = [await session.submit({ seed: -1 }, options)];
      for (let request = 0; request < 7; request += 1) {
        responses.push(await session.poll(unknownJobId(session), options));
      }
      await session.time.pass(61_000);
      const after = await session.account(options);
      const expected = [...responses, after].filter(({ status }) => status !== 429).length;
      const counted = requestsIn(after) - requestsIn(before);
      must(
        counted === expected,
        `total_calls rose by ${counted} over ${expected} requests within the rate limit.`,
        after,
      );
    },
  },
]);

/** Id of an unknown job. */
export function unknownJobId(session: Session): string {
  return `job_${session.unique().replaceAll(/[^a-zA-Z0-9]/g, "")}`;
}

/** Number of requests of the key in its account. */
export function requestsIn({ json }: HttpResponse): number {
  return Number(fieldsOf(json)["total_calls"]);
}
