import { must } from "../../outcome.ts";
import { costs } from "../../target/budget.ts";
import { fieldsOf, type HttpResponse } from "../../wire/response.ts";
import { checkRows, mustHave, type Condition } from "../expectations.ts";

const knownCosts: Condition = {
  text: JSON.stringify(costs),
  passes: (value) => Object.entries(costs).every(([size, cost]) => fieldsOf(value)[size] === cost),
};

export const accountChecks = checkRows("safe", 0, {
  "account.name": {
    title: "Shows the label of the key, and not that of another key",
    rules: ["account.name.label", "account.request-and-answer"],
    async run({ http, keys }) {
      for (const name of ["the label of the contract", "another label"]) {
        keys.own = await keys.sibling({ name });
        mustHave(await http.account(), { name }, "the account of a key with this label");
      }
    },
  },
  "account.balance": {
    title: "Shows the current balance of the key",
    rules: ["account.credits-remaining.balance"],
    newKey: { credits: 37 },
    async run({ http }) {
      const what = "the account of a key with 37 credits";
      mustHave(await http.account(), { credits_remaining: 37 }, what);
    },
  },
  "account.costs": {
    title: "Shows the cost of each size: 8, 12 and 20 credits",
    rules: ["account.tryon-cost-credits.costs"],
    run: async ({ http }) =>
      mustHave(await http.account(), { tryon_cost_credits: knownCosts }, "the account"),
  },
  "account.total-calls": {
    title: "Counts the requests of the key",
    rules: ["account.total-calls.lifetime"],
    async run({ http }) {
      const before = await http.account();
      await http.account();
      const after = await http.account();
      const counted = requestsIn(after) - requestsIn(before);
      must(counted >= 2, `total_calls rose by ${counted} over 2 requests.`, after);
    },
  },
  "account.total-calls.refused": {
    title: "Counts requests that it refuses for their content, and not those over the rate limit",
    rules: ["account.total-calls.what-counts"],
    level: "full",
    newKey: { rate_limit_per_min: 4 },
    async run({ http, time }) {
      const options = { return429: true };
      const before = await http.account(options);
      const responses = [await http.submit({ seed: -1 }, options)];
      for (let request = 0; request < 7; request += 1) {
        responses.push(await http.poll(http.unknownJobId(), options));
      }
      await time.pass(61_000);
      const after = await http.account(options);
      const expected = [...responses, after].filter(({ status }) => status !== 429).length;
      const counted = requestsIn(after) - requestsIn(before);
      const message = `total_calls rose by ${counted} over ${expected} requests within the rate limit.`;
      must(counted === expected, message, after);
    },
  },
});

export function requestsIn({ json }: HttpResponse): number {
  return Number(fieldsOf(json)["total_calls"]);
}
