import { createHmac } from "node:crypto";

import type { Check } from "../../check.ts";
import { must, SkipCheck } from "../../outcome.ts";
import type { RequestOptions, Session } from "../../session.ts";
import { checkRows, mustHaveStatus } from "../expectations.ts";
import { requestChecks, type ExpectedStatus } from "./check-rows.ts";
import type { Key } from "../../target/keys.ts";

const account = "GET /api/v1/account";

/** Authentication, keys and accounts. */
export const keyChecks: readonly Check[] = [
  ...requestChecks({
    "authentication.missing-key": {
      title: "Responds with 401 at every endpoint without a key",
      rules: ["auth.key.missing-401", "auth.bearer.header"],
      requests(session) {
        const token = session.unique("spt_none");
        const purchase = { pack_slug: "demo", shared_payment_granted_token: token };
        const bodies: Readonly<Record<string, unknown>> = {
          [account]: undefined,
          "GET /api/v1/tryon": undefined,
          "GET /api/v1/tryon/job_0": undefined,
          "POST /api/v1/tryon": session.goodRequest(),
          "POST /api/v1/credits/purchase": purchase,
        };
        return Object.entries(bodies).map(([endpoint, body]): ExpectedStatus => [
          `${endpoint} without a key`,
          401,
          endpoint,
          { key: null, body },
        ]);
      },
    },
    "authentication.unknown-key": {
      title: "Responds with 401 to an unknown key",
      rules: ["auth.key.invalid-401"],
      requests: (session) =>
        ["live", "test"].map((mode) => {
          const key = `svc_${mode}_${session.unique("contract").replaceAll(/\W/g, "0")}`;
          return [`an unknown ${mode} key`, 401, account, { key }];
        }),
    },
    "authentication.bearer-only": {
      title: "Takes a key only as a bearer token in Authorization",
      rules: ["auth.bearer.header"],
      requests({ key: { token } }) {
        const basic = `Basic ${Buffer.from(`${token}:`).toString("base64")}`;
        const rows: readonly (readonly [string, number, Readonly<Record<string, string>>])[] = [
          ["a key without a scheme", 401, { authorization: token }],
          ["a key as the user of Basic", 401, { authorization: basic }],
          ["a key in X-API-Key", 401, { "x-api-key": token }],
        ];
        return rows.map(([what, status, headers]) => [
          what,
          status,
          account,
          { key: null, headers },
        ]);
      },
    },
    "authentication.scheme-in-any-case": {
      title: "Takes the scheme Bearer in lower case",
      requests: ({ key: { token } }) => [
        ["a bearer in lower case", 200, account, lowerCase(token)],
      ],
    },
    "authentication.disabled-key": {
      title: "Responds with 403 to a disabled key",
      rules: ["auth.key.disabled-or-revoked-403"],
      requests: (session) => [
        ["a disabled key", 403, account, { key: session.keyNamed("disabled") }],
      ],
    },
    "authentication.revoked-key": {
      title: "Responds with 403 to a revoked key",
      rules: ["auth.key.disabled-or-revoked-403"],
      requests: async (session) => [
        ["a revoked key", 403, account, { key: await session.freshKey({ state: "revoked" }) }],
      ],
    },
    "authentication.flagged-account": {
      title: "Responds with 403 to a key of a flagged account",
      rules: ["auth.account.flagged-403"],
      requests: (session) => [
        ["a key of a flagged account", 403, account, { key: session.keyNamed("flagged") }],
      ],
    },
    "authentication.flagged-account.all-keys": {
      title: "Responds with 403 to every key of a flagged account",
      rules: ["auth.account.flagged-403"],
      async requests(session) {
        const first = await session.freshKey();
        const second = await session.freshKey({ account_id: first.accountId });
        const flag = { account_id: first.accountId, account_state: "flagged" };
        await session.control.post("keys", flag);
        return [first, second].map((key) => ["a key of a flagged account", 403, account, { key }]);
      },
    },
  }),
  ...checkRows("safe", 0, {
    "authentication.challenge": {
      title: "Has WWW-Authenticate: Bearer in a 401",
      async run(session) {
        const response = await session.account({ key: null });
        const isBearer = /^bearer\b/i.test(response.headers.get("www-authenticate") ?? "");
        const passes = response.status !== 401 || isBearer;
        must(passes, "The 401 has no WWW-Authenticate: Bearer.", response);
      },
    },
    "keys.prefixes": {
      title: "Gives live keys the prefix svc_live_ and test keys svc_test_",
      rules: ["auth.key.prefixes"],
      async run(session) {
        for (const mode of ["live", "test"] as const) {
          const { token } = await session.freshKey({ mode });
          const [prefix] = /^\w+?_\w+?_/.exec(token) ?? ["something else"];
          must(prefix === `svc_${mode}_`, `A new ${mode} key begins with ${prefix}.`);
        }
      },
    },
    "keys.one-test-key": {
      title: "Gives an account several live keys, but only one test key",
      rules: ["auth.account.one-test-key"],
      async run(session) {
        const first = await session.freshKey();
        const { accountId: account_id } = first;
        const second = await session.freshKey({ account_id });
        const test = await session.freshKey({ account_id, mode: "test" });
        for (const key of [first, second, test]) {
          mustHaveStatus(await session.account({ key }), 200, `a ${key.kind} key`);
        }
        const again = await session.request("POST", "/__mock/keys", {
          key: null,
          body: { account_id, mode: "test" },
        });
        must(again.status !== 200, "An account got a second test key.", again);
      },
    },
    "keys.own-balance": {
      level: "paid",
      credits: 8,
      title: "Keeps a separate balance for each key",
      rules: ["auth.key.own-balance"],
      async run(session) {
        const [payer, other] = await twoKeys(session);
        if ((await session.balance(payer)) !== (await session.balance(other))) return;
        const response = await session.submit({}, { key: payer });
        const [after, kept] = [await session.balance(payer), await session.balance(other)];
        const isSame = response.status === 200 && after === kept;
        must(!isSame, `One key paid for a try-on, but two have a balance of ${after}.`, response);
      },
    },
    "keys.webhook-secret": {
      title: "Gives each key its own webhook secret, which begins with whsec_",
      rules: ["auth.webhook-secret.signs"],
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
    "keys.webhook-secret.own": {
      credits: 8,
      title: "Signs webhooks with the secret of the key that submitted",
      rules: ["auth.webhook-secret.signs"],
      async run(session) {
        const key = await session.freshKey({ mode: "test" });
        const stranger = await session.freshKey({ mode: "test" });
        const hook = session.openHook();
        const response = await session.submit({ webhook_url: hook.url }, { key });
        if (response.status !== 200) {
          throw new SkipCheck("The deployment refuses the webhook URL of the kit.");
        }
        const { headers, bytes } = await session.until("a webhook arrives", async () =>
          hook.deliveries.at(0),
        );
        const foreign = createHmac("sha256", stranger.webhookSecret ?? "").update(bytes);
        const signed = headers.get("x-service-signature") === `sha256=${foreign.digest("hex")}`;
        must(!signed, "A webhook was signed with the secret of another key.");
      },
    },
  }),
];

/** A key under the scheme in lower case. */
function lowerCase(token: string): RequestOptions {
  return { key: null, headers: { authorization: `bearer ${token}` } };
}

/** Two keys with the same balance on a reference server, elsewhere two keys of the run. */
async function twoKeys(session: Session): Promise<readonly [Key, Key]> {
  if (session.context.control === undefined) return [session.key, session.keyNamed("stranger")];
  const first = await session.freshKey({ credits: 100 });
  return [first, await session.freshKey({ credits: 100, account_id: first.accountId })];
}
