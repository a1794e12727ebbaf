import { describe, expect, it } from "vitest";
import rules from "./rules.json" with { type: "json" };
import { openapi, operations, webhooks, type Operation } from "./openapi-document.ts";
import { kindOf, notation } from "./schema-notation.ts";

const errorsOf = {
  "POST /api/v1/tryon": [400, 401, 402, 403, 409, 422, 429, 500, 503],
  "GET /api/v1/tryon": [400, 401, 403, 422, 429, 500, 503],
  "GET /api/v1/tryon/{job_id}": [401, 403, 404, 422, 429, 500, 503],
  "GET /api/v1/account": [401, 403, 422, 429, 500, 503],
  "POST /api/v1/credits/purchase": [400, 401, 402, 403, 409, 422, 429, 500, 503],
  "GET /": [401],
  "GET /api/discovery": [401],
  "GET /api/docs": [401],
  "GET /api/v1/openapi.json": [401],
};

const successOf = {
  "POST /api/v1/tryon": "application/json TryOnSubmitResponse",
  "GET /api/v1/tryon": "application/json TryOnListResponse",
  "GET /api/v1/tryon/{job_id}": "application/json TryOnJobStatus",
  "GET /api/v1/account": "application/json AccountResponse",
  "POST /api/v1/credits/purchase": "application/json PurchaseWithSPTResponse",
  "GET /": "application/json DiscoveryResponse",
  "GET /api/discovery": "application/json DiscoveryResponse",
  "GET /api/docs": "text/html string",
  "GET /api/v1/openapi.json": "application/json ApiDescription",
};

const requestOf = {
  "POST /api/v1/tryon": "application/json TryOnRequest!",
  "POST /api/v1/credits/purchase": "application/json PurchaseWithSPTRequest!",
};

const parametersOf = {
  "POST /api/v1/tryon": ["header Idempotency-Key: string, maxLength 200"],
  "GET /api/v1/tryon": [
    "query limit: integer, default 20",
    "query cursor: string",
    "query status_filter: JobStatus",
  ],
  "GET /api/v1/tryon/{job_id}": ["path job_id: string!"],
};

const named = (content: Operation["request"]): string =>
  Object.entries(content)
    .map(([type, { schema }]) => `${type} ${kindOf(schema)}`)
    .join(", ");

const answer = (operation: Operation, status: string): string =>
  named(operation.responses.get(status)?.content ?? {});

const request = (operation: Operation): string =>
  named(operation.request) + (operation.requestRequired ? "!" : "");

const errors = (operation: Operation): readonly string[] =>
  [...operation.responses.keys()].filter((status) => status !== "200");

const parameters = (operation: Operation): readonly string[] =>
  operation.parameters.map((one) => `${one.in} ${one.name}: ${notation(one.schema, one.required)}`);

/** What the contract says of each operation, as a table by its title. */
const table = (
  row: (operation: Operation) => unknown,
  listed = operations,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(listed.map((operation) => [operation.title, row(operation)]));

describe("operations of the contract", () => {
  it("is OpenAPI 3.1, version 1.0.0 of the service", () => {
    expect(openapi.openapi).toMatch(/^3\.1\.\d+$/);
    expect(openapi.info.version).toBe("1.0.0");
  });

  it("answer with exactly the documented error statuses", () => {
    expect(table((operation) => errors(operation).map(Number))).toEqual(errorsOf);
  });

  it("answer a success with the documented body", () => {
    expect(table((operation) => answer(operation, "200"))).toEqual(successOf);
  });

  it("answer 422 with the list of problems and every other error with a detail", () => {
    const bodies = operations.flatMap((operation) =>
      errors(operation).map((status) => ({ status, body: answer(operation, status) })),
    );
    expect(bodies).toHaveLength(Object.values(errorsOf).flat().length);
    for (const { status, body } of bodies) {
      const schema = status === "422" ? "HTTPValidationError" : "ErrorResponse";
      expect(`${status} ${body}`).toBe(`${status} application/json ${schema}`);
    }
  });

  it("take the documented bodies, required where marked", () => {
    const taking = operations.filter((operation) => request(operation) !== "");
    expect(table(request, taking)).toEqual(requestOf);
  });

  it("take the documented parameters, required where marked", () => {
    const taking = operations.filter((operation) => operation.parameters.length > 0);
    expect(table(parameters, taking)).toEqual(parametersOf);
  });

  it("tell a caller over the rate limit how long to wait", () => {
    const limited = operations.flatMap(({ responses }) => responses.get("429") ?? []);
    expect(limited).toHaveLength(5);
    for (const { headers } of limited) {
      const written = [...headers].map(
        ([name, { schema, required }]) => `${name}: ${notation(schema, required)}`,
      );
      // The document promises Retry-After. All other headers of the contract are optional.
      expect(written).toEqual([
        "X-RateLimit-Limit: integer",
        "X-RateLimit-Remaining: integer",
        "X-RateLimit-Reset: integer",
        "Retry-After: string!",
      ]);
    }
  });

  it("need a bearer key, except the addresses for discovery", () => {
    const [name = ""] = Object.keys(openapi.components.securitySchemes);
    expect(openapi.components.securitySchemes[name]).toMatchObject({
      type: "http",
      scheme: "bearer",
    });
    const keyed = operations.filter(({ security }) => security.length > 0);
    expect(table(({ security }) => security, keyed)).toEqual({
      "POST /api/v1/tryon": [{ [name]: [] }],
      "GET /api/v1/tryon": [{ [name]: [] }],
      "GET /api/v1/tryon/{job_id}": [{ [name]: [] }],
      "GET /api/v1/account": [{ [name]: [] }],
      "POST /api/v1/credits/purchase": [{ [name]: [] }],
    });
  });
});

/** Every object of the document that is marked as open, with the id of its rule. */
function marked(value: unknown): { readonly id: unknown; readonly description: unknown }[] {
  if (value === null || typeof value !== "object") return [];
  const within = Object.values(value).flatMap(marked);
  if (!("x-open" in value && "description" in value)) return within;
  return [{ id: value["x-open"], description: value.description }, ...within];
}

describe("open points of the contract", () => {
  it("name an open rule each, and say that deployments differ", () => {
    const open = new Set(rules.rules.filter((rule) => rule.open === true).map(({ id }) => id));
    const points = marked(openapi);
    expect(points.filter(({ id }) => !open.has(String(id)))).toEqual([]);
    expect(
      points.filter(({ description }) => !/Deployments differ/.test(String(description))),
    ).toEqual([]);
    expect([...new Set(points.map(({ id }) => String(id)))].toSorted()).toMatchInlineSnapshot(`
      [
        "discovery.key.needed",
        "errors.429.reset-unit",
        "errors.429.retry-after-form",
        "errors.429.which-headers",
        "job.completed-at.form",
        "list.cursor.unknown",
        "list.limit.bounds",
        "list.status-filter.name",
        "purchase.repeat.answer",
        "purchase.test-key.reported-credits",
        "purchase.validation.400-or-422",
        "request.metadata.what-is-counted",
        "submit-response.seed.not-given",
        "submit.idempotency-key.same-body",
        "submit.shape.cost-credits",
        "submit.shape.unlisted-fields",
        "submit.validation.400-or-422",
      ]
    `);
  });
});

describe("the submission", () => {
  const submission = openapi.paths["/api/v1/tryon"]?.["post"];

  it("links its job to the poll", () => {
    expect(submission?.responses["200"]).toMatchObject({
      links: {
        poll: { operationId: "getTryOn", parameters: { job_id: "$response.body#/job_id" } },
      },
    });
  });

  it("declares the event as a callback to webhook_url", () => {
    const event = openapi.webhooks["tryon.completed"]?.["post"];
    // Not a reference, which pages and servers made from the contract do not follow. Operations differ in their ids.
    const post = { ...event, operationId: "onTryOnCompletedCallback" };
    expect(submission?.callbacks).toEqual({
      tryOnCompleted: { "{$request.body#/webhook_url}": { post } },
    });
  });
});

describe("events of the contract", () => {
  it("are tryon.completed alone, signed, named and answered by any 2xx", () => {
    expect(table(request, webhooks)).toEqual({
      "tryon.completed": "application/json TryOnCompletedEvent!",
    });
    expect(table(parameters, webhooks)).toEqual({
      "tryon.completed": [
        "header X-Service-Signature: string!, pattern ^sha256=[0-9a-fA-F]{64}$",
        "header X-Service-Event: string!, const tryon.completed",
        "header X-Service-Job-Id: JobId!",
      ],
    });
    expect(table(({ responses }) => [...responses.keys()], webhooks)).toEqual({
      "tryon.completed": ["2XX", "4XX"],
    });
    expect(table(({ security }) => security, webhooks)).toEqual({ "tryon.completed": [] });
  });
});
