import {
  answerLike,
  before,
  changedAnswer,
  changedFields,
  changedJson,
  isFor,
  redirected,
  withBody,
} from "../changes.ts";
import type { Mutant } from "../mutant.ts";

const authentication = "Authentication";

const isMaking = (request: Request): boolean =>
  isFor(request, "POST", "/__mock/keys") || isFor(request, "POST", "/__mock/tenants");

const keyOf = ({ headers }: Request): string => headers.get("authorization") ?? "";

/** Keys, accounts and secrets. */
export const keyMutants: readonly Mutant[] = [
  {
    name: "one endpoint answers without a key what it answers with a wrong one",
    section: authentication,
    expected: ["authentication.missing-key"],
    plant: changedAnswer(
      (request) => keyOf(request) === "" && isFor(request, "GET", "/api/v1/tryon/job_0"),
      (response) => answerLike(response, '{"detail":"Job not found."}', { status: 404 }),
    ),
  },
  {
    name: "a 401 does not ask for a bearer",
    section: "semantics 1. Order of checks",
    expected: ["authentication.challenge"],
    plant: changedAnswer(
      (_request, { status }) => status === 401,
      (response) =>
        answerLike(response, '{"detail":"no"}', { headers: { "www-authenticate": "Key" } }),
    ),
  },
  {
    name: "an unknown test key is let in",
    section: authentication,
    expected: ["authentication.unknown-key"],
    plant: before(async (request, real) => {
      const response = await real(request.clone());
      const wrong = keyOf(request).startsWith("Bearer svc_test_") && response.status === 401;
      return wrong
        ? real(redirected(request, { headers: { authorization: "Bearer svc_test_mock" } }))
        : response;
    }),
  },
  {
    name: "a key is taken as the user of Basic, too",
    section: authentication,
    expected: ["authentication.bearer-only"],
    plant: before((request, real) => {
      const [, basic] = /^Basic (\S+)$/.exec(keyOf(request)) ?? [];
      if (basic === undefined) return real(request);
      const token = Buffer.from(basic, "base64").toString().replace(":", "");
      return real(redirected(request, { headers: { authorization: `Bearer ${token}` } }));
    }),
  },
  {
    name: "a disabled key is answered as an unknown one",
    section: "Errors",
    expected: ["authentication.disabled-key"],
    plant: changedAnswer(
      (request, { status }) => status === 403 && isFor(request, "GET", "/api/v1/account"),
      async (response) => {
        const text = await response.text();
        const changes = { status: 401, headers: { "www-authenticate": "Bearer" } };
        return answerLike(response, text, text.includes("disabled") ? changes : {});
      },
    ),
  },
  {
    name: "a revoked key goes on working",
    section: authentication,
    expected: ["authentication.revoked-key"],
    plant: changedFields("/__mock/tenants", (fields) =>
      fields["state"] === "revoked" ? { ...fields, state: "active" } : fields,
    ),
  },
  {
    name: "the account of a flagged key is not looked at",
    section: authentication,
    expected: ["authentication.flagged-account"],
    plant: changedFields("/__mock/keys", (fields) =>
      fields["account_id"] === undefined ? { ...fields, account_state: undefined } : fields,
    ),
  },
  {
    name: "older keys of an account that is flagged go on working",
    section: authentication,
    expected: ["authentication.flagged-account.all-keys"],
    plant: changedFields("/__mock/keys", (fields) =>
      fields["account_id"] === undefined ? fields : { ...fields, account_state: undefined },
    ),
  },
  {
    name: "an account is given a second test key",
    section: "Limits",
    expected: ["keys.one-test-key"],
    plant: before(async (request, real) => {
      const response = await real(request.clone());
      if (response.status !== 400 || !isFor(request, "POST", "/__mock/keys")) return response;
      return real(withBody(request, '{"mode":"test"}'));
    }),
  },
  {
    name: "keys begin with sk_",
    section: authentication,
    expected: ["keys.prefixes"],
    plant: before(async (request, real) => {
      const authorization = keyOf(request).replace("sk_", "svc_");
      const url = request.url.replace("=sk_", "=svc_");
      const headers = authorization === "" ? {} : { authorization };
      const called = redirected(request, { url, headers });
      if (!request.url.includes("/__mock/")) return real(called);
      const body = request.method === "POST" ? await request.text() : "";
      const response = await real(
        body === "" ? called : withBody(called, body.replace('"sk_', '"svc_')),
      );
      if (!isMaking(request)) return response;
      return answerLike(response, (await response.text()).replace('"svc_', '"sk_'));
    }),
  },
  {
    name: "the secrets of webhooks have no prefix",
    section: authentication,
    expected: ["keys.webhook-secret"],
    plant: changedJson(isMaking, (made) => ({
      ...made,
      webhook_secret: String(made["webhook_secret"]).replace("whsec_", ""),
    })),
  },
  {
    name: "all keys show one balance",
    section: authentication,
    expected: ["keys.own-balance"],
    plant: changedJson(
      (request, { status }) => status === 200 && isFor(request, "GET", "/api/v1/account"),
      (account) => ({ ...account, credits_remaining: 100 }),
    ),
  },
  {
    name: "disallowed content is made into an image",
    section: "What the service does",
    expected: ["content.disallowed"],
    plant: before((request, real) =>
      isFor(request, "POST", "/__mock/next-job")
        ? Promise.resolve(Response.json({}))
        : real(request),
    ),
  },
  {
    name: "the result is no PNG",
    section: "What the service does",
    expected: ["content.one-image"],
    plant: changedAnswer(
      ({ url }) => new URL(url).pathname.startsWith("/results/"),
      (response) => answerLike(response, "\u{ff}\u{d8}\u{ff} no PNG"),
    ),
  },
  {
    name: "the purchase is elsewhere",
    section: "Endpoints / POST /api/v1/credits/purchase",
    expected: ["urls.endpoints"],
    plant: changedAnswer(
      (request) => isFor(request, "POST", "/api/v1/credits/purchase") && keyOf(request) !== "",
      (response) => answerLike(response, '{"detail":"Not Found"}', { status: 404 }),
    ),
  },
];
