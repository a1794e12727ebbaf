import { elementsOf, fieldsOf, type Fields } from "../../../src/wire/response.ts";
import {
  responseLike,
  intercepted,
  changedResponse,
  changedJson,
  hasStatus,
  isFor,
  requestLike,
  withBody,
} from "../changes.ts";
import { mutants, type Fetch, type Mutant } from "../mutant.ts";

const list = "Endpoints / GET /api/v1/tryon";
const order = "semantics 1. Order of checks";

/** Removes names from the query of the list. */
function withoutQuery(fits: (query: URLSearchParams) => readonly string[]): Mutant["plant"] {
  return intercepted((request, real) => {
    const url = new URL(request.url);
    if (!isFor(request, "GET", "/api/v1/tryon")) return real(request);
    for (const name of fits(url.searchParams)) url.searchParams.delete(name);
    return real(requestLike(request, { url: url.href }));
  });
}

/** Mutants in refusals, their order, and queries of the list. */
export const responseMutants: readonly Mutant[] = [
  ...mutants("semantics 7. Jobs", withoutQuery, {
    "list-query.limit": [
      "ignores a limit of 0",
      (query) => (query.get("limit") === "0" ? ["limit"] : []),
    ],
  }),
  ...mutants(list, withoutQuery, {
    "list-query.status-filter.unknown": [
      "ignores an unknown filter",
      (query) => (query.get("status") === "finished" ? ["status", "status_filter"] : []),
    ],
    "list-query.status-filter": [
      "ignores the filter for failed jobs",
      (query) => (query.get("status") === "failed" ? ["status", "status_filter"] : []),
    ],
  }),
  ...mutants(list, intercepted, {
    "list-query.cursor.unknown": [
      "returns the first page for an unknown cursor",
      async (request, real) => {
        const response = await real(request.clone());
        const url = new URL(request.url);
        if (response.status !== 400 || !url.searchParams.has("cursor")) return response;
        url.searchParams.delete("cursor");
        return real(requestLike(request, { url: url.href }));
      },
    ],
  }),
  ...mutants("ErrorResponse and HTTPValidationError", changedJson, {
    "refusals.all-problems": [
      "lists only one invalid field in a 422",
      hasStatus(422),
      ({ detail }) => ({ detail: elementsOf(detail).slice(0, 1) }),
    ],
  }),
  ...mutants("semantics 2. 400 or 422", changedJson, {
    "refusals.loc": [
      "begins the location of an invalid field with the field",
      hasStatus(422),
      ({ detail }) => ({
        detail: elementsOf(detail).map((problem) => ({
          ...fieldsOf(problem),
          loc: elementsOf(fieldsOf(problem)["loc"]).slice(1),
        })),
      }),
    ],
    "refusals.named-field": [
      "omits the field in a 400",
      hasStatus(400),
      () => ({ detail: "Bad request." }),
    ],
  }),
  ...mutants("Endpoints", intercepted, {
    "refusals.content-type": [
      "reads a body of any content type as JSON",
      (request, real) =>
        request.method === "POST"
          ? real(requestLike(request, { headers: { "content-type": "application/json" } }))
          : real(request),
    ],
  }),
  ...mutants("Errors", changedResponse, {
    "refusals.form-is-422": [
      "responds with 400 when fields break the schema",
      (request, { status }) => status === 422 && isFor(request, "POST", "/api/v1/tryon"),
      (response) => responseLike(response, '{"detail":"person_url is wrong"}', { status: 400 }),
    ],
    "refusals.purchase-form-is-422": [
      "responds with 400 when a purchase breaks its schema",
      (request, { status }) => status === 422 && isFor(request, "POST", "/api/v1/credits/purchase"),
      (response) => responseLike(response, '{"detail":"The order is wrong."}', { status: 400 }),
    ],
    "refusals.meaning-is-400": [
      "responds with 422 to an invalid image",
      (request, { status }) => status === 400 && isFor(request, "POST", "/api/v1/tryon"),
      async (response) => {
        const { detail } = fieldsOf(await response.clone().json());
        const [, field] = /^(\w+)\S*: .*(base64|not an image)/.exec(String(detail)) ?? [];
        if (field === undefined) return response;
        const problem = { loc: ["body", field], msg: "no image", type: "value_error" };
        return responseLike(response, JSON.stringify({ detail: [problem] }), { status: 422 });
      },
    ],
  }),
  ...mutants(order, intercepted, {
    "refusal-order.key-before-form": [
      "checks the fields before the key",
      async (request, real) => {
        const isBare = request.headers.get("authorization") === null;
        if (!isBare || !isFor(request, "POST", "/api/v1/tryon")) return real(request);
        const { seed } = await bodyOf(request);
        return seed === -1 ? badSeed() : real(request);
      },
    ],
    "refusal-order.form-before-meaning": [
      "checks missing fields before the schema",
      async (request, real) => {
        if (!isFor(request, "POST", "/api/v1/tryon")) return real(request);
        const { seed, ...fields } = await bodyOf(request);
        const bare = seed === -1 && fields["person_image_b64"] === undefined;
        return real(bare ? withBody(request, JSON.stringify(fields)) : request);
      },
    ],
    "refusal-order.meaning-before-credits": [
      "checks the credits before the fields",
      async (request, real) => {
        const response = await real(request.clone());
        if (response.status !== 400 || !isFor(request, "POST", "/api/v1/tryon")) return response;
        const key = request.headers.get("authorization") ?? "";
        if (key.includes("svc_test_") || (await balanceOf(key, request, real)) > 0) return response;
        return responseLike(response, '{"detail":"Too few credits."}', { status: 402 });
      },
    ],
  }),
  ...mutants(order, formBefore, {
    "refusal-order.state-before-form": ["checks the fields before the state of the key", 403],
    "refusal-order.limit-before-form": ["checks the fields before the rate limit", 429],
  }),
];

/** Refuses an invalid seed instead of the refusal that the server sends. */
function formBefore(status: number): Mutant["plant"] {
  return intercepted(async (request, real) => {
    const response = await real(request.clone());
    if (response.status !== status || !isFor(request, "POST", "/api/v1/tryon")) return response;
    return (await bodyOf(request))["seed"] === -1 ? badSeed() : response;
  });
}

function badSeed(): Response {
  const problem = { loc: ["body", "seed"], msg: "too small", type: "greater_than_equal" };
  return Response.json({ detail: [problem] }, { status: 422 });
}

async function bodyOf(request: Request): Promise<Fields> {
  const text = await request.clone().text();
  return text.startsWith("{") && text.endsWith("}") ? fieldsOf(JSON.parse(text)) : {};
}

async function balanceOf(authorization: string, { url }: Request, real: Fetch): Promise<number> {
  const response = await real(new URL("/api/v1/account", url), { headers: { authorization } });
  return Number(fieldsOf(await response.json())["credits_remaining"]);
}
