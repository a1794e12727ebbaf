import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import type { RequestOptions } from "../../session/http.ts";
import { keyedEndpoints } from "../../wire/document.ts";
import { checkRows, mustHaveStatus } from "../expectations.ts";
import { requestChecks, type ExpectedStatus } from "./check-rows.ts";

const account = "GET /api/v1/account";

export const keyChecks: readonly Check[] = [
  ...requestChecks({
    "authentication.missing-key": {
      title: "Responds with 401 at every endpoint without a key",
      rules: ["auth.key.missing-401", "auth.bearer.header"],
      requests({ http }) {
        const token = http.unique("spt_none");
        const purchase = { pack_slug: "demo", shared_payment_granted_token: token };
        const bodies: Readonly<Record<string, unknown>> = {
          "POST /api/v1/tryon": http.goodRequest(),
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
      requests: ({ http }) =>
        ["live", "test"].map((mode) => {
          const key = `svc_${mode}_${http.unique("contract").replaceAll(/\W/g, "0")}`;
          return [`an unknown ${mode} key`, 401, account, { key }];
        }),
    },
    "authentication.bearer-only": {
      title: "Takes a key only as a bearer token in Authorization",
      rules: ["auth.bearer.header"],
      requests({ keys }) {
        const { token } = keys.own;
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
      requests({ keys }) {
        const { token } = keys.own;
        const headers = { authorization: `bearer ${token}` };
        return [["a bearer in lower case", 200, account, { key: null, headers }]];
      },
    },
    "authentication.disabled-key": {
      title: "Responds with 403 to a disabled key",
      rules: ["auth.key.disabled-or-revoked-403"],
      requests: ({ keys }) => [["a disabled key", 403, account, { key: keys.named("disabled") }]],
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
      requests: ({ keys }) => [
        ["a key of a flagged account", 403, account, { key: keys.named("flagged") }],
      ],
    },
    "authentication.flagged-account.all-keys": {
      title: "Responds with 403 to every key of a flagged account",
      rules: ["auth.account.flagged-403"],
      newKey: {},
      async requests({ keys }) {
        const second = await keys.sibling();
        const flag = { account_id: keys.own.accountId, account_state: "flagged" };
        await keys.control.post("keys", flag);
        const what = "a key of a flagged account";
        return [keys.own, second].map((key) => [what, 403, account, { key }]);
      },
    },
  }),
  ...checkRows("safe", 0, {
    "authentication.challenge": {
      title: "Has WWW-Authenticate: Bearer in a 401",
      async run({ http }) {
        const response = await http.account({ key: null });
        const isBearer = /^bearer\b/i.test(response.headers.get("www-authenticate") ?? "");
        const passes = response.status !== 401 || isBearer;
        must(passes, "The 401 has no WWW-Authenticate: Bearer.", response);
      },
    },
    "keys.prefixes": {
      title: "Gives live keys the prefix svc_live_ and test keys svc_test_",
      rules: ["auth.key.prefixes"],
      async run({ keys }) {
        for (const mode of ["live", "test"] as const) {
          const { token } = await keys.make({ mode });
          const [prefix] = /^\w+?_\w+?_/.exec(token) ?? ["something else"];
          must(prefix === `svc_${mode}_`, `A new ${mode} key begins with ${prefix}.`);
        }
      },
    },
    "keys.one-test-key": {
      title: "Gives an account several live keys, but only one test key",
      rules: ["auth.account.one-test-key"],
      newKey: {},
      async run({ http, keys }) {
        const second = await keys.sibling();
        const test = await keys.sibling({ mode: "test" });
        for (const key of [keys.own, second, test]) {
          mustHaveStatus(await http.account({ key }), 200, `a ${key.kind} key`);
        }
        const body = { account_id: keys.own.accountId, mode: "test" };
        const again = await http.request("POST", "/__mock/keys", {
          key: null,
          headers: keys.control.headers,
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
      async run({ http, keys }) {
        await keys.useNew({ credits: 100 });
        const other = keys.hasControl
          ? await keys.sibling({ credits: 100 })
          : keys.named("stranger");
        if ((await http.balance()) !== (await http.balance(other))) return;
        const response = await http.submit();
        const [after, kept] = [await http.balance(), await http.balance(other)];
        const isSame = response.status === 200 && after === kept;
        must(!isSame, `One key paid for a try-on, but two have a balance of ${after}.`, response);
      },
    },
  }),
];

function unauthorized(what: string, options: RequestOptions, endpoint = account): ExpectedStatus {
  return [what, 401, endpoint, { key: null, ...options }];
}
