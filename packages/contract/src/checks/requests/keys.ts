import { createHmac } from "node:crypto";

import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import type { Key } from "../../check-context.ts";
import type { Session } from "../../session.ts";

/** What keys and accounts are. */
export const keys: readonly Check[] = [
  {
    id: "keys.prefixes",
    title: "Gives live keys the prefix svc_live_ and test keys svc_test_",
    rules: ["auth.key.prefixes"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      for (const mode of ["live", "test"] as const) {
        const { token } = await session.freshKey({ mode });
        const [begins] = /^\w+?_\w+?_/.exec(token) ?? ["something else"];
        must(begins === `svc_${mode}_`, `A new ${mode} key begins with ${begins}.`);
      }
    },
  },
  {
    id: "keys.one-test-key",
    title: "Gives an account several live keys, and one test key alone",
    rules: ["auth.account.one-test-key"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const first = await session.freshKey();
      const account = { account_id: first.accountId };
      const others = [
        await session.freshKey(account),
        await session.freshKey({ ...account, mode: "test" }),
      ];
      for (const key of [first, ...others]) {
        const answer = await session.account({ key });
        must(answer.status === 200, `A ${key.kind} key was answered ${answer.status}.`, answer);
      }
      const again = await session.call("POST", "/__mock/keys", {
        key: null,
        body: { ...account, mode: "test" },
      });
      must(again.status !== 200, "An account was given a second test key.", again);
    },
  },
  {
    id: "keys.own-balance",
    title: "Keeps a balance for each key: what one spends, no other has spent",
    rules: ["auth.key.own-balance"],
    level: "paid",
    on: "live",
    credits: 8,
    async run(session) {
      const [spender, other] = await twoKeys(session);
      if ((await session.balance(spender)) !== (await session.balance(other))) return;
      const answer = await session.submit({}, { key: spender });
      const [spent, kept] = [await session.balance(spender), await session.balance(other)];
      must(
        answer.status !== 200 || spent !== kept,
        `One key has paid for a try-on, and each of two has a balance of ${spent} after it.`,
        answer,
      );
    },
  },
  {
    id: "keys.webhook-secret",
    title: "Gives each key a webhook secret of its own, which begins with whsec_",
    rules: ["auth.webhook-secret.signs"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const first = await session.freshKey({ mode: "test" });
      const second = await session.freshKey({ account_id: first.accountId });
      for (const { webhookSecret = "" } of [first, second]) {
        must(webhookSecret.startsWith("whsec_"), "A webhook secret does not begin with whsec_.");
      }
      const differ = first.webhookSecret !== second.webhookSecret;
      must(differ, "Two keys have the same webhook secret.");
    },
  },
  {
    id: "keys.webhook-secret.own",
    title: "Signs webhooks with the secret of the key that submitted, and of no other",
    rules: ["auth.webhook-secret.signs"],
    level: "safe",
    on: "any",
    credits: 8,
    async run(session) {
      const key = await session.freshKey({ mode: "test" });
      const stranger = await session.freshKey({ mode: "test" });
      const hook = session.hook();
      const answer = await session.submit({ webhook_url: hook.url }, { key });
      if (answer.status !== 200) {
        throw new SkipCheck(
          "The deployment does not take an address of the kit's own for webhooks.",
        );
      }
      const { headers, bytes } = await session.until("a webhook comes", async () =>
        hook.deliveries.at(0),
      );
      const foreign = createHmac("sha256", stranger.webhookSecret ?? "").update(bytes);
      const signed = headers.get("x-service-signature") === `sha256=${foreign.digest("hex")}`;
      must(!signed, "A webhook was signed with the secret of another key.");
    },
  },
];

/** Two keys that are not known to share anything; on a reference server new ones, with the same to spend. */
async function twoKeys(session: Session): Promise<readonly [Key, Key]> {
  if (session.bench.control === undefined) return [session.key, session.keyNamed("stranger")];
  const first = await session.freshKey({ credits: 100 });
  return [first, await session.freshKey({ credits: 100, account_id: first.accountId })];
}
