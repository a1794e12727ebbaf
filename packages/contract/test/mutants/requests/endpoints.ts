import {
  responseLike,
  intercepted,
  changedResponse,
  changedFields,
  changedJson,
  hasStatus,
  isFor,
  requestLike,
  withBody,
} from "../changes.ts";
import { fieldsOf } from "../../../src/wire/response.ts";
import { mutants, type Mutant } from "../mutant.ts";

const authentication = "Authentication";
const discovery = "Endpoints / Discovery addresses";
const others = "semantics 10. Other addresses";
const order = "semantics 1. Order of checks";

const isAt = (path: string) => (request: Request, response: Response) =>
  response.status === 200 && isFor(request, "GET", path);

const isMaking = (request: Request): boolean =>
  isFor(request, "POST", "/__mock/keys") || isFor(request, "POST", "/__mock/tenants");

const keyOf = ({ headers }: Request): string => headers.get("authorization") ?? "";

/** Mutants in URLs, discovery, requests of pages, keys and accounts. */
export const endpointMutants: readonly Mutant[] = [
  ...mutants(authentication, changedResponse, {
    "authentication.missing-key": [
      "responds with 404 without a key at one endpoint",
      (request) => keyOf(request) === "" && isFor(request, "GET", "/api/v1/tryon/job_0"),
      (response) => responseLike(response, '{"detail":"Job not found."}', { status: 404 }),
    ],
  }),
  ...mutants(order, changedResponse, {
    "authentication.challenge": [
      "has another WWW-Authenticate in a 401",
      hasStatus(401),
      (response) =>
        responseLike(response, '{"detail":"no"}', { headers: { "www-authenticate": "Key" } }),
    ],
  }),
  ...mutants(authentication, intercepted, {
    "authentication.unknown-key": [
      "accepts an unknown test key",
      async (request, real) => {
        const response = await real(request.clone());
        const wrong = keyOf(request).startsWith("Bearer svc_test_") && response.status === 401;
        return wrong
          ? real(requestLike(request, { headers: { authorization: "Bearer svc_test_mock" } }))
          : response;
      },
    ],
    "authentication.bearer-only": [
      "accepts a key as the user of Basic",
      (request, real) => {
        const [, basic] = /^Basic (\S+)$/.exec(keyOf(request)) ?? [];
        if (basic === undefined) return real(request);
        const token = Buffer.from(basic, "base64").toString().replace(":", "");
        return real(requestLike(request, { headers: { authorization: `Bearer ${token}` } }));
      },
    ],
    "keys.prefixes": [
      "makes keys that begin with sk_",
      async (request, real) => {
        const authorization = keyOf(request).replace("sk_", "svc_");
        const url = request.url.replace("=sk_", "=svc_");
        const headers = authorization === "" ? {} : { authorization };
        const called = requestLike(request, { url, headers });
        if (!request.url.includes("/__mock/")) return real(called);
        const body = request.method === "POST" ? await request.text() : "";
        const response = await real(
          body === "" ? called : withBody(called, body.replace('"sk_', '"svc_')),
        );
        if (!isMaking(request)) return response;
        return responseLike(response, (await response.text()).replace('"svc_', '"sk_'));
      },
    ],
  }),
  ...mutants("Errors", changedResponse, {
    "authentication.disabled-key": [
      "responds with 401 to a disabled key",
      (request, { status }) => status === 403 && isFor(request, "GET", "/api/v1/account"),
      async (response) => {
        const text = await response.text();
        const changes = { status: 401, headers: { "www-authenticate": "Bearer" } };
        return responseLike(response, text, text.includes("disabled") ? changes : {});
      },
    ],
  }),
  ...mutants(authentication, changedFields, {
    "authentication.revoked-key": [
      "accepts a revoked key",
      "/__mock/tenants",
      (fields) => (fields["state"] === "revoked" ? { state: "active" } : {}),
    ],
    "authentication.flagged-account": [
      "accepts a key of a flagged account",
      "/__mock/keys",
      (fields) => (fields["account_id"] === undefined ? { account_state: undefined } : {}),
    ],
    "authentication.flagged-account.all-keys": [
      "accepts older keys of a flagged account",
      "/__mock/keys",
      (fields) => (fields["account_id"] === undefined ? {} : { account_state: undefined }),
    ],
  }),
  ...mutants("Limits", intercepted, {
    "keys.one-test-key": [
      "makes a second test key of an account",
      async (request, real) => {
        const response = await real(request.clone());
        if (response.status !== 400 || !isFor(request, "POST", "/__mock/keys")) return response;
        return real(withBody(request, '{"mode":"test"}'));
      },
    ],
  }),
  ...mutants(authentication, changedJson, {
    "keys.webhook-secret": [
      "makes webhook secrets without a prefix",
      isMaking,
      (made) => ({
        ...made,
        webhook_secret: String(made["webhook_secret"]).replace("whsec_", ""),
      }),
    ],
    "keys.own-balance": [
      "returns one balance for all keys",
      (request, { status }) => status === 200 && isFor(request, "GET", "/api/v1/account"),
      (account) => ({ ...account, credits_remaining: 100 }),
    ],
  }),
  ...mutants("What the service does", intercepted, {
    "content.disallowed": [
      "makes an image of disallowed content",
      (request, real) =>
        isFor(request, "POST", "/__mock/next-job")
          ? Promise.resolve(Response.json({}))
          : real(request),
    ],
  }),
  ...mutants("What the service does", changedResponse, {
    "content.one-image": [
      "makes a result that is not a PNG",
      ({ url }) => new URL(url).pathname.startsWith("/results/"),
      (response) => responseLike(response, "\u{ff}\u{d8}\u{ff} no PNG"),
    ],
  }),
  ...mutants("Endpoints / POST /api/v1/credits/purchase", changedResponse, {
    "urls.endpoints": [
      "has another URL for purchases",
      (request) => isFor(request, "POST", "/api/v1/credits/purchase") && keyOf(request) !== "",
      (response) => responseLike(response, '{"detail":"Not Found"}', { status: 404 }),
    ],
  }),
  ...mutants(order, changedResponse, {
    "urls.wrong-method": [
      "has an empty Allow in a 405",
      hasStatus(405),
      (response) => responseLike(response, '{"detail":"no"}', { headers: { allow: "" } }),
    ],
    "urls.unknown": [
      "responds with a page for an unknown URL",
      (request, { status }) => status === 404 && request.url.endsWith("/contract-nowhere"),
      () => new Response("<html>none</html>", { status: 404 }),
    ],
  }),
  ...mutants("Endpoints", changedResponse, {
    "urls.head": [
      "responds with 404 to HEAD",
      ({ method }) => method === "HEAD",
      (response) => responseLike(response, null, { status: 404 }),
    ],
  }),
  ...mutants(discovery, changedJson, {
    "discovery.two-urls": [
      "has another document at /",
      isAt("/"),
      ({ capabilities }) => ({ capabilities }),
    ],
    "responses.GET /api/discovery.200": [
      "omits purchases in the discovery document",
      isAt("/api/discovery"),
      (document) => ({ ...document, capabilities: {} }),
    ],
  }),
  ...mutants("What the service does", changedResponse, {
    "discovery.docs": [
      "has documentation in plain text",
      isAt("/api/docs"),
      (response) => responseLike(response, "Ask us."),
    ],
  }),
  ...mutants("What the service does", changedJson, {
    "discovery.description": [
      "omits the purchase in the description",
      isAt("/api/v1/openapi.json"),
      ({ paths, ...rest }) => ({
        ...rest,
        paths: { ...fieldsOf(paths), "/api/v1/credits/purchase": undefined },
      }),
    ],
  }),
  ...mutants("Versioning", changedJson, {
    "responses.GET /api/v1/openapi.json.200": [
      "has a description in OpenAPI 3.0",
      isAt("/api/v1/openapi.json"),
      (document) => ({
        ...document,
        openapi: "3.0.3",
      }),
    ],
    "discovery.description.version": [
      "has a description of version 2.0.0",
      isAt("/api/v1/openapi.json"),
      (document) => ({
        ...document,
        info: { ...fieldsOf(document["info"]), version: "2.0.0" },
      }),
    ],
  }),
  ...mutants(others, changedJson, {
    "discovery.without-key": [
      "has a shorter discovery document without a key",
      (request) =>
        isFor(request, "GET", "/api/discovery") && request.headers.get("authorization") === null,
      ({ capabilities }) => ({ capabilities }),
    ],
  }),
  ...mutants(others, changedHeader, {
    "cross-origin.response": [
      "does not expose Retry-After to pages",
      "access-control-expose-headers",
      "Retry-After,",
    ],
    "cross-origin.preflight": [
      "does not allow pages to send an idempotency key",
      "access-control-allow-headers",
      "Idempotency-Key",
    ],
  }),
];

function changedHeader(name: string, dropped: string): Mutant["plant"] {
  return changedResponse(
    (_request, { headers }) => headers.has(name),
    (response) => {
      const value = response.headers.get(name) ?? "";
      const changed = new Response(response.body, response);
      changed.headers.set(name, value.replace(dropped, ""));
      return changed;
    },
  );
}
