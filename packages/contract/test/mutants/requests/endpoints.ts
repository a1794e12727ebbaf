import { fieldsOf } from "../../../src/wire/response.ts";
import {
  fieldsIn,
  patched,
  refusal,
  responses,
  rewritten,
  sent,
  type Change,
} from "../mutated-responses.ts";
import { mutants } from "../mutant.ts";

export const endpointMutants = mutants({
  "authentication.unknown-key: accepts an unknown test key":
    () =>
    ({ token, send }) =>
      token.startsWith("svc_test_contract") ? send({ token: "svc_test_mock" }) : send(),
  "authentication.bearer-only: accepts a key as the user of Basic":
    () =>
    ({ token, send }) => {
      const [, basic] = /^Basic (\S+)$/.exec(token) ?? [];
      if (basic === undefined) return send();
      return send({ token: Buffer.from(basic, "base64").toString().replace(":", "") });
    },
  "keys.prefixes: makes keys that begin with sk_": () => async (request) => {
    const { headers, text, url } = request;
    const response = await request.send({
      url: new URL(url.href.replace("=sk_", "=svc_")),
      headers: {
        authorization: headers.get("authorization")?.replace("sk_", "svc_") ?? null,
      },
      ...(text.includes('"sk_') && { body: JSON.parse(text.replace('"sk_', '"svc_')) }),
    });
    if (!/^\/__mock\/(keys|tenants)$/.test(request.path)) return response;
    return new Response((await response.text()).replace('"svc_', '"sk_'), response);
  },
  "keys.one-test-key: makes a second test key of an account": responses(
    ({ status }, { path, send }) =>
      status === 400 && path === "/__mock/keys" ? send({ body: { mode: "test" } }) : undefined,
  ),
  "content.disallowed: makes an image of disallowed content":
    () =>
    async ({ kind, send }) =>
      kind === "next-job" ? Response.json({}) : send(),
  "authentication.revoked-key: accepts a revoked key": sent(
    "/__mock/tenants",
    { state: "revoked" },
    { state: "active" },
  ),
  "authentication.flagged-account: accepts a key of a flagged account": sent(
    "/__mock/keys",
    { account_id: undefined },
    { account_state: undefined },
  ),
  "authentication.flagged-account.all-keys: accepts older keys of a flagged account": sent(
    "/__mock/keys",
    ({ account_id: id }) => (id === undefined ? {} : { account_state: undefined }),
  ),
  "authentication.missing-key: responds with 404 without a key at one endpoint": responses(
    (_response, { token, kind, path }) =>
      token === "" && kind === "poll" && path.endsWith("/job_0") ? refusal(404) : undefined,
  ),
  "authentication.scheme-in-any-case: refuses a key as bearer in lower case": responses(
    (_response, { headers }) =>
      headers.get("authorization")?.startsWith("bearer ") === true ? refusal(401) : undefined,
  ),
  "authentication.challenge: has another WWW-Authenticate in a 401": responses((response) =>
    response.status === 401
      ? rewritten(response, { headers: { "www-authenticate": "Key" } })
      : undefined,
  ),
  "authentication.disabled-key: responds with 401 to a disabled key": responses(
    async (response, request) => {
      if (response.status !== 403 || request.kind !== "account") return undefined;
      if (!(await response.clone().text()).includes("disabled")) return undefined;
      return rewritten(response, { status: 401, headers: { "www-authenticate": "Bearer" } });
    },
  ),
  "urls.wrong-method: has an empty Allow in a 405": responses((response) =>
    response.status === 405 ? rewritten(response, { headers: { allow: "" } }) : undefined,
  ),
  "urls.endpoints: has another URL for purchases": responses((_response, { kind, token }) =>
    kind === "purchase" && token !== "" ? refusal(404, "Not Found") : undefined,
  ),
  "urls.unknown: responds with a page for an unknown URL": responses(({ status }, { path }) =>
    status === 404 && path.endsWith("/contract-nowhere")
      ? new Response("<html>none</html>", { status })
      : undefined,
  ),
  "urls.head: responds with 404 to HEAD": responses((_response, { method }) =>
    method === "HEAD" ? new Response(null, { status: 404 }) : undefined,
  ),
  "discovery.two-urls: has another document at /": responses((response, { method, path }) =>
    method === "GET" && path === "/" ? capabilitiesOf(response) : undefined,
  ),
  "discovery.docs: has documentation in plain text": responses((response, { method, path }) =>
    method === "GET" && path === "/api/docs" ? new Response("Ask us.", response) : undefined,
  ),
  "discovery.without-key: has a shorter discovery document without a key": responses(
    (response, { kind, token }) =>
      kind === "discovery" && token === "" ? capabilitiesOf(response) : undefined,
  ),
  "keys.own-balance: returns one balance for all keys": patched("account", {
    credits_remaining: 100,
  }),
  "responses.GET /api/discovery.200: omits purchases in the discovery document": patched(
    "discovery",
    { capabilities: {} },
  ),
  "discovery.description: omits the purchase in the description": patched(
    "description",
    ({ paths }) => ({
      paths: { ...fieldsOf(paths), "/api/v1/credits/purchase": undefined },
    }),
  ),
  "responses.GET /api/v1/openapi.json.200: has a description in OpenAPI 3.0": patched(
    "description",
    { openapi: "3.0.3" },
  ),
  "discovery.description.version: has a description of version 2.0.0": patched(
    "description",
    ({ info }) => ({ info: { ...fieldsOf(info), version: "2.0.0" } }),
  ),
  "urls.endpoints: responds with 500 to a purchase without fields": responses(
    (_response, { kind, text }) =>
      kind === "purchase" && text === "{}" ? refusal(500) : undefined,
  ),
  "discovery.description: describes the account also without the version": patched(
    "description",
    ({ paths }) => ({
      paths: { ...fieldsOf(paths), "/api/account": {} },
    }),
  ),
  "cross-origin.response: does not expose Retry-After to pages": changedHeader(
    "access-control-expose-headers",
    "Retry-After,",
  ),
  "cross-origin.preflight: does not allow pages to send an idempotency key": changedHeader(
    "access-control-allow-headers",
    "Idempotency-Key",
  ),
});

async function capabilitiesOf(response: Response): Promise<Response> {
  const { capabilities } = await fieldsIn(response);
  return Response.json({ capabilities });
}

function changedHeader(name: string, dropped: string): Change {
  return responses((response) => {
    const changed = new Response(response.body, response);
    const value = response.headers.get(name);
    if (value !== null) changed.headers.set(name, value.replace(dropped, ""));
    return changed;
  });
}
