import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import type { Key } from "../../check-context.ts";
import type { Session } from "../../session.ts";
import { costs } from "../../target/budget.ts";
import { fieldsOf, type Fields } from "../../wire/response.ts";
import { unknownJob } from "./unknown-job.ts";

/** What GET /api/v1/account says of a key. */
export const accountChecks: readonly Check[] = [
  {
    id: "account.name",
    title: "The account shows the label that the key was given, and no other key's",
    rules: ["account.name.label", "account.request-and-answer"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ name: "the label of the contract" });
      const sibling = await session.freshKey({ ...accountOf(key), name: "another label" });
      const answers = [await session.account({ key }), await session.account({ key: sibling })];
      const names = answers.map(({ json }) => fieldsOf(json)["name"]);
      must(
        names[0] === "the label of the contract" && names[1] === "another label",
        `Two keys of an account were made with labels of their own, and the accounts show ${JSON.stringify(names)}.`,
        answers[0],
      );
    },
  },
  {
    id: "account.balance",
    title: "The account shows the key's balance of that moment",
    rules: ["account.credits-remaining.balance"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ credits: 37 });
      const answer = await session.account({ key });
      const { credits_remaining: balance } = fieldsOf(answer.json);
      must(
        balance === 37,
        `A key that was given 37 credits shows ${JSON.stringify(balance)}.`,
        answer,
      );
    },
  },
  {
    id: "account.costs",
    title: "The account names what each size costs: 8, 12 and 20 credits",
    rules: ["account.tryon-cost-credits.costs"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const answer = await session.account();
      const named = fieldsOf(fieldsOf(answer.json)["tryon_cost_credits"]);
      for (const [size, cost] of Object.entries(costs)) {
        must(
          named[size] === cost,
          `tryon_cost_credits says ${JSON.stringify(named[size])} for ${size}, and not ${cost}.`,
          answer,
        );
      }
    },
  },
  {
    id: "account.total-calls",
    title: "The account counts the calls of the key",
    rules: ["account.total-calls.lifetime"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const before = await accountFields(session, session.key);
      await session.account();
      const after = await session.account();
      const [from, to] = [before["total_calls"], fieldsOf(after.json)["total_calls"]];
      must(
        Number(to) - Number(from) >= 2,
        `total_calls went from ${String(from)} to ${String(to)} over 2 calls.`,
        after,
      );
    },
  },
  {
    id: "account.total-calls.refused",
    title:
      "Calls that were refused for what they asked are counted, too, and those over the rate limit are not",
    rules: ["account.total-calls.what-counts"],
    level: "full",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ rate_limit_per_min: 4 });
      const options = { key, take429: true };
      const before = await accountFields(session, key);
      const answers = [
        await session.poll(unknownJob(session), options),
        await session.submit({ seed: -1 }, options),
      ];
      for (let call = 0; call < 6; call += 1) {
        answers.push(await session.poll(unknownJob(session), options));
      }
      await session.time.pass(61_000);
      const after = await session.account(options);
      const expected = [...answers, after].filter(({ status }) => status !== 429).length;
      const [from, to] = [before["total_calls"], fieldsOf(after.json)["total_calls"]];
      must(
        Number(to) - Number(from) === expected,
        `total_calls went from ${String(from)} to ${String(to)} over ${expected} calls that were not over the rate limit.`,
        after,
      );
    },
  },
];

function accountOf({ accountId }: Key): { account_id?: string } {
  return accountId === undefined ? {} : { account_id: accountId };
}

async function accountFields(session: Session, key: Key): Promise<Fields> {
  return fieldsOf((await session.account({ key })).json);
}
