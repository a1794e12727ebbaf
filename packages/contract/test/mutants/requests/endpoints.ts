import { fieldsOf } from "../../../src/wire/response.ts";
import { changedFields, fieldsIn, makesKey, refusal, rewritten } from "../mutated-responses.ts";
import { mutants, type Mutant } from "../mutant.ts";
import { changedBody, handled, isFor, responses } from "./changes.ts";

const account = "GET /api/v1/account";
const description = "GET /api/v1/openapi.json";
const discovery = "GET /api/discovery";
const purchase = "POST /api/v1/credits/purchase";

/** Mutants in URLs, discovery, requests of pages, keys and accounts. */
export const endpointMutants: readonly Mutant[] = [
  ...mutants(handled, {
    "authentication.unknown-key": [
      "accepts an unknown test key",
      ({ token, send }) =>
        token.startsWith("svc_test_contract") ? send({ token: "svc_test_mock" }) : send(),
    ],
    "authentication.bearer-only": [
      "accepts a key as the user of Basic",
      ({ token, send }) => {
        const [, basic] = /^Basic (\S+)$/.exec(token) ?? [];
        if (basic === undefined) return send();
        return send({ token: Buffer.from(basic, "base64").toString().replace(":", "") });
      },
    ],
    "keys.prefixes": [
      "makes keys that begin with sk_",
      async (request) => {
        const { headers, text, url } = request;
        const response = await request.send({
          url: new URL(url.href.replace("=sk_", "=svc_")),
          headers: {
            authorization: headers.get("authorization")?.replace("sk_", "svc_") ?? null,
          },
          ...(text.includes('"sk_') && { body: JSON.parse(text.replace('"sk_', '"svc_')) }),
        });
        if (!makesKey(request)) return response;
        return new Response((await response.text()).replace('"svc_', '"sk_'), response);
      },
    ],
    "keys.one-test-key": [
      "makes a second test key of an account",
      async (request) => {
        const response = await request.send();
        if (response.status !== 400 || !isFor(request, "POST /__mock/keys")) return response;
        return request.send({ body: { mode: "test" } });
      },
    ],
    "content.disallowed": [
      "makes an image of disallowed content",
      async (request) =>
        isFor(request, "POST /__mock/next-job") ? Response.json({}) : request.send(),
    ],
  }),
  ...mutants(changedBody, {
    "authentication.revoked-key": [
      "accepts a revoked key",
      "POST /__mock/tenants",
      ({ state }) => (state === "revoked" ? { state: "active" } : {}),
    ],
    "authentication.flagged-account": [
      "accepts a key of a flagged account",
      "POST /__mock/keys",
      ({ account_id: id }) => (id === undefined ? { account_state: undefined } : {}),
    ],
    "authentication.flagged-account.all-keys": [
      "accepts older keys of a flagged account",
      "POST /__mock/keys",
      ({ account_id: id }) => (id === undefined ? {} : { account_state: undefined }),
    ],
  }),
  ...mutants(responses, {
    "authentication.missing-key": [
      "responds with 404 without a key at one endpoint",
      (_response, request) =>
        request.token === "" && isFor(request, "GET /api/v1/tryon/job_0")
          ? refusal(404)
          : undefined,
    ],
    "authentication.scheme-in-any-case": [
      "refuses a key as bearer in lower case",
      (_response, { headers }) =>
        headers.get("authorization")?.startsWith("bearer ") === true ? refusal(401) : undefined,
    ],
    "authentication.challenge": [
      "has another WWW-Authenticate in a 401",
      (response) =>
        response.status === 401
          ? rewritten(response, { headers: { "www-authenticate": "Key" } })
          : undefined,
    ],
    "authentication.disabled-key": [
      "responds with 401 to a disabled key",
      async (response, request) => {
        if (response.status !== 403 || !isFor(request, account)) return undefined;
        if (!(await response.clone().text()).includes("disabled")) return undefined;
        return rewritten(response, { status: 401, headers: { "www-authenticate": "Bearer" } });
      },
    ],
    "urls.endpoints": [
      "has another URL for purchases",
      (_response, request) =>
        isFor(request, purchase) && request.token !== "" ? refusal(404, "Not Found") : undefined,
    ],
    "urls.wrong-method": [
      "has an empty Allow in a 405",
      (response) =>
        response.status === 405 ? rewritten(response, { headers: { allow: "" } }) : undefined,
    ],
    "urls.unknown": [
      "responds with a page for an unknown URL",
      ({ status }, { path }) =>
        status === 404 && path.endsWith("/contract-nowhere")
          ? new Response("<html>none</html>", { status })
          : undefined,
    ],
    "urls.head": [
      "responds with 404 to HEAD",
      (_response, { method }) =>
        method === "HEAD" ? new Response(null, { status: 404 }) : undefined,
    ],
    "discovery.two-urls": [
      "has another document at /",
      (response, request) => (isFor(request, "GET /") ? capabilitiesOf(response) : undefined),
    ],
    "discovery.docs": [
      "has documentation in plain text",
      (response, request) =>
        isFor(request, "GET /api/docs") ? new Response("Ask us.", response) : undefined,
    ],
    "discovery.without-key": [
      "has a shorter discovery document without a key",
      (response, request) =>
        isFor(request, discovery) && request.token === "" ? capabilitiesOf(response) : undefined,
    ],
  }),
  ...mutants(changedFields, {
    "keys.own-balance": [
      "returns one balance for all keys",
      (_fields, request, { status }) =>
        status === 200 && isFor(request, account) ? { credits_remaining: 100 } : undefined,
    ],
    "responses.GET /api/discovery.200": [
      "omits purchases in the discovery document",
      (_fields, request) => (isFor(request, discovery) ? { capabilities: {} } : undefined),
    ],
    "discovery.description": [
      "omits the purchase in the description",
      ({ paths }, request) =>
        isFor(request, description)
          ? { paths: { ...fieldsOf(paths), "/api/v1/credits/purchase": undefined } }
          : undefined,
    ],
    "responses.GET /api/v1/openapi.json.200": [
      "has a description in OpenAPI 3.0",
      (_fields, request) => (isFor(request, description) ? { openapi: "3.0.3" } : undefined),
    ],
    "discovery.description.version": [
      "has a description of version 2.0.0",
      ({ info }, request) =>
        isFor(request, description) ? { info: { ...fieldsOf(info), version: "2.0.0" } } : undefined,
    ],
  }),
  ...mutants(responses, {
    "urls.endpoints": [
      "responds with 500 to a purchase without fields",
      (_response, request) =>
        isFor(request, purchase) && request.text === "{}" ? refusal(500) : undefined,
    ],
    "discovery.description": [
      "describes the account also without the version",
      async (response, request) => {
        if (!isFor(request, description)) return undefined;
        return rewritten(response, {
          fields: ({ paths }) => ({ paths: { ...fieldsOf(paths), "/api/account": {} } }),
        });
      },
    ],
  }),
  ...mutants(changedHeader, {
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

async function capabilitiesOf(response: Response): Promise<Response> {
  const { capabilities } = await fieldsIn(response);
  return Response.json({ capabilities });
}

function changedHeader(name: string, dropped: string): Mutant["plant"] {
  return responses((response) => {
    const changed = new Response(response.body, response);
    const value = response.headers.get(name);
    if (value !== null) changed.headers.set(name, value.replace(dropped, ""));
    return changed;
  });
}
