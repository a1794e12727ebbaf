import { fieldsOf } from "../../../src/wire/response.ts";
import { responseLike, changedResponse, changedJson, isFor } from "../changes.ts";
import { mutants, type Mutant } from "../mutant.ts";

const discovery = "Endpoints / Discovery addresses";
const others = "semantics 10. Other addresses";
const order = "semantics 1. Order of checks";

const isAt = (path: string) => (request: Request, response: Response) =>
  response.status === 200 && isFor(request, "GET", path);

const hasStatus = (status: number) => (_request: Request, response: Response) =>
  response.status === status;

/** Mutants in URLs, discovery, and requests of pages. */
export const urlMutants: readonly Mutant[] = [
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
    "answers.GET /api/discovery.200": [
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
    "answers.GET /api/v1/openapi.json.200": [
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
