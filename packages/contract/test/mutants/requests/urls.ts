import { fieldsOf } from "../../../src/wire/response.ts";
import { answerLike, changedAnswer, changedJson, isFor } from "../changes.ts";
import type { Mutant } from "../mutant.ts";

const discovery = "Endpoints / Discovery addresses";
const others = "semantics 10. Other addresses";
const order = "semantics 1. Order of checks";

const isAt = (path: string) => (request: Request, response: Response) =>
  response.status === 200 && isFor(request, "GET", path);

const hasStatus = (status: number) => (_request: Request, response: Response) =>
  response.status === status;

/** What is found where, and who may read it. */
export const urlMutants: readonly Mutant[] = [
  {
    name: "a 405 does not say which methods there are",
    section: order,
    expected: ["urls.wrong-method"],
    plant: changedAnswer(hasStatus(405), (response) =>
      answerLike(response, '{"detail":"no"}', { headers: { allow: "" } }),
    ),
  },
  {
    name: "an address that there is not is a page",
    section: order,
    expected: ["urls.unknown"],
    plant: changedAnswer(
      (request, { status }) => status === 404 && request.url.endsWith("/contract-nowhere"),
      () => new Response("<html>none</html>", { status: 404 }),
    ),
  },
  {
    name: "HEAD is not known",
    section: "Endpoints",
    expected: ["urls.head"],
    plant: changedAnswer(
      ({ method }) => method === "HEAD",
      (response) => answerLike(response, null, { status: 404 }),
    ),
  },
  {
    name: "the document at / is another one",
    section: discovery,
    expected: ["discovery.two-urls"],
    plant: changedJson(isAt("/"), ({ capabilities }) => ({ capabilities })),
  },
  {
    name: "the discovery document says nothing of buying",
    section: discovery,
    expected: ["responses.GET /api/discovery.200"],
    plant: changedJson(isAt("/api/discovery"), (document) => ({ ...document, capabilities: {} })),
  },
  {
    name: "the documentation is a plain text",
    section: "What the service does",
    expected: ["discovery.docs"],
    plant: changedAnswer(isAt("/api/docs"), (response) => answerLike(response, "Ask us.")),
  },
  {
    name: "the description leaves the purchase out",
    section: "What the service does",
    expected: ["discovery.description"],
    plant: changedJson(isAt("/api/v1/openapi.json"), ({ paths, ...rest }) => ({
      ...rest,
      paths: { ...fieldsOf(paths), "/api/v1/credits/purchase": undefined },
    })),
  },
  {
    name: "the description is one in OpenAPI 3.0",
    section: "Versioning",
    expected: ["responses.GET /api/v1/openapi.json.200"],
    plant: changedJson(isAt("/api/v1/openapi.json"), (document) => ({
      ...document,
      openapi: "3.0.3",
    })),
  },
  {
    name: "the description is one of version 2.0.0",
    section: "Versioning",
    expected: ["discovery.description.version"],
    plant: changedJson(isAt("/api/v1/openapi.json"), (document) => ({
      ...document,
      info: { ...fieldsOf(document["info"]), version: "2.0.0" },
    })),
  },
  {
    name: "the discovery document says less to those without a key",
    section: others,
    expected: ["discovery.without-key"],
    plant: changedJson(
      (request) =>
        isFor(request, "GET", "/api/discovery") && request.headers.get("authorization") === null,
      ({ capabilities }) => ({ capabilities }),
    ),
  },
  {
    name: "pages cannot read Retry-After",
    section: others,
    expected: ["cross-origin.response"],
    plant: changedHeader("access-control-expose-headers", "Retry-After,"),
  },
  {
    name: "pages may not send an idempotency key",
    section: others,
    expected: ["cross-origin.preflight"],
    plant: changedHeader("access-control-allow-headers", "Idempotency-Key"),
  },
];

function changedHeader(name: string, dropped: string): Mutant["plant"] {
  return changedAnswer(
    (_request, { headers }) => headers.has(name),
    (response) => {
      const value = response.headers.get(name) ?? "";
      const changed = new Response(response.body, response);
      changed.headers.set(name, value.replace(dropped, ""));
      return changed;
    },
  );
}
