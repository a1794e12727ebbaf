import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import type { RequestOptions } from "../../session.ts";
import { keyedEndpoints } from "../../wire/document.ts";
import { checkRows, mustHaveStatus } from "../expectations.ts";
import { requestChecks, type ExpectedStatus } from "./check-rows.ts";

const account = "GET /api/v1/account";

export const keyChecks: readonly Check[] = [
  ...requestChecks({
    "authentication.missing-key": {
      title: "Responds with 401 at every endpoint without a key",
      rules: ["auth.key.missing-401", "auth.bearer.header"],
      requests(session) {
        const token = session.unique("spt_none");
        const purchase = { pack_slug: "demo", shared_payment_granted_token: token };
        const bodies: Readonly<Record<string, unknown>> = {
          "POST /api/v1/tryon": session.goodRequest(),
          "POST /api/v1/credits/purchase": purchase,
        };
        return keyedEndpoints.map((title) => {
          const endpoint = title.replace("{job_id}", "job_0");
          return unauthorized(`${endpoint} without a key`, { body: bodies[endpoint] }, endpoint);
        });
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
        return [
          unauthorized("a key without a scheme", { headers: { authorization: token } }),
          unauthorized("a key as the user of Basic", { headers: { authorization: basic } }),
          unauthorized("a key in X-API-Key", { headers: { "x-api-key": token } }),
        ];
      },
    },
    "authentication.scheme-in-any-case": {
      title: "Takes the scheme Bearer in lower case",
      requests({ key: { token } }) {
        const headers = { authorization: `bearer ${token}` };
        return [["a bearer in lower case", 200, account, { key: null, headers }]];
      },
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
      newKey: { state: "revoked" },
      requests: () => [["a revoked key", 403, account]],
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
      newKey: {},
      async requests(session) {
        const second = await session.siblingKey();
        const flag = { account_id: session.key.accountId, account_state: "flagged" };
        await session.control.post("keys", flag);
        const keys = [session.key, second];
        return keys.map((key) => ["a key of a flagged account", 403, account, { key }]);
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
      newKey: {},
      async run(session) {
        const second = await session.siblingKey();
        const test = await session.siblingKey({ mode: "test" });
        for (const key of [session.key, second, test]) {
          mustHaveStatus(await session.account({ key }), 200, `a ${key.kind} key`);
        }
        const body = { account_id: session.key.accountId, mode: "test" };
        const again = await session.request("POST", "/__mock/keys", {
          key: null,
          headers: session.control.headers,
          body,
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
        await session.useNewKey({ credits: 100 });
        const other = session.hasControl
          ? await session.siblingKey({ credits: 100 })
          : session.keyNamed("stranger");
        if ((await session.balance()) !== (await session.balance(other))) return;
        const response = await session.submit();
        const [after, kept] = [await session.balance(), await session.balance(other)];
        const isSame = response.status === 200 && after === kept;
        must(!isSame, `One key paid for a try-on, but two have a balance of ${after}.`, response);
      },
    },
  }),
];

function unauthorized(what: string, options: RequestOptions, endpoint = account): ExpectedStatus {
  return [what, 401, endpoint, { key: null, ...options }];
}
