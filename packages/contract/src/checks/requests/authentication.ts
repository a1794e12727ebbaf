import type { Check } from "../../check.ts";
import { must } from "../../outcome.ts";
import type { CallOptions } from "../../calls.ts";
import type { Session } from "../../session.ts";
import type { HttpResponse, Fields } from "../../wire/response.ts";

/** A call to every endpoint that nothing is wrong with but that it comes without a key. */
function everyEndpoint(
  session: Session,
): readonly (readonly [method: string, path: string, body?: Fields])[] {
  const purchase = { pack_slug: "demo", shared_payment_granted_token: session.unique("spt_none") };
  return [
    ["GET", "/api/v1/account"],
    ["GET", "/api/v1/tryon"],
    ["GET", "/api/v1/tryon/job_0"],
    ["POST", "/api/v1/tryon", session.goodRequest()],
    ["POST", "/api/v1/credits/purchase", purchase],
  ];
}

/** Who is let in. */
export const authentication: readonly Check[] = [
  {
    id: "authentication.missing-key",
    title: "Answers every endpoint with 401 where no key is sent",
    rules: ["auth.key.missing-401", "auth.bearer.header"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      for (const [method, path, body] of everyEndpoint(session)) {
        const answer = await session.call(method, path, { key: null, body });
        mustBe(401, `${method} ${path} without a key`, answer);
      }
    },
  },
  {
    id: "authentication.challenge",
    title: "Asks for a bearer token with each 401",
    rules: ["auth.bearer.header"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const answer = await session.account({ key: null });
      const asked = answer.headers.get("www-authenticate") ?? "";
      const isAsked = answer.status !== 401 || /^bearer\b/i.test(asked);
      must(isAsked, "The 401 has no WWW-Authenticate: Bearer.", answer);
    },
  },
  {
    id: "authentication.unknown-key",
    title: "Answers a key that it does not know with 401",
    rules: ["auth.key.invalid-401"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      for (const kind of ["live", "test"]) {
        const key = `svc_${kind}_${session.unique("contract").replaceAll(/\W/g, "0")}`;
        mustBe(401, `An unknown ${kind} key`, await session.account({ key }));
      }
    },
  },
  {
    id: "authentication.bearer-only",
    title: "Takes a key as a bearer token in Authorization, and in no other way",
    rules: ["auth.bearer.header"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const { token } = session.key;
      const lower = { headers: { authorization: `bearer ${token}` } };
      await asks(session, 200, "A key as a bearer in lower case", lower);
      const basic = Buffer.from(`${token}:`).toString("base64");
      const others: readonly (readonly [what: string, options: CallOptions])[] = [
        ["A key without a scheme", { headers: { authorization: token } }],
        ["A key as a user of Basic", { headers: { authorization: `Basic ${basic}` } }],
        ["A key in X-API-Key", { headers: { "x-api-key": token } }],
      ];
      for (const [what, options] of others) await asks(session, 401, what, options);
    },
  },
  {
    id: "authentication.disabled-key",
    title: "Answers a disabled key with 403",
    rules: ["auth.key.disabled-or-revoked-403"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const key = session.keyNamed("disabled");
      mustBe(403, "A disabled key", await session.account({ key }));
    },
  },
  {
    id: "authentication.revoked-key",
    title: "Answers a revoked key with 403",
    rules: ["auth.key.disabled-or-revoked-403"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const key = await session.freshKey({ state: "revoked" });
      mustBe(403, "A revoked key", await session.account({ key }));
    },
  },
  {
    id: "authentication.flagged-account",
    title: "Answers a key of an account that was flagged with 403",
    rules: ["auth.account.flagged-403"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const key = session.keyNamed("flagged");
      mustBe(403, "A key of a flagged account", await session.account({ key }));
    },
  },
  {
    id: "authentication.flagged-account.all-keys",
    title: "Answers each key of an account with 403 once the account is flagged",
    rules: ["auth.account.flagged-403"],
    level: "safe",
    on: "any",
    credits: 0,
    async run(session) {
      const first = await session.freshKey();
      const second = await session.freshKey({ account_id: first.accountId });
      const flag = { account_id: first.accountId, account_state: "flagged" };
      await session.control.post("keys", flag);
      for (const key of [first, second]) {
        mustBe(403, "A key of an account that was flagged", await session.account({ key }));
      }
    },
  },
];

async function asks(
  session: Session,
  status: number,
  what: string,
  options: CallOptions,
): Promise<void> {
  mustBe(status, what, await session.account({ ...options, key: null }));
}

function mustBe(status: number, what: string, answer: HttpResponse): void {
  must(answer.status === status, `${what} was answered ${answer.status}, not ${status}.`, answer);
}
