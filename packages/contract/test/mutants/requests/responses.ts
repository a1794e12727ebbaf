import { elementsOf, fieldsOf, type Fields } from "../../../src/wire/response.ts";
import {
  answerLike,
  before,
  changedAnswer,
  changedJson,
  isFor,
  redirected,
  withBody,
} from "../changes.ts";
import type { Fetch, Mutant } from "../mutant.ts";

const list = "Endpoints / GET /api/v1/tryon";
const order = "semantics 1. Order of checks";

const hasStatus = (status: number) => (_request: Request, response: Response) =>
  response.status === status;

/** Lists as if one name were not in the query. */
function withoutQuery(fits: (query: URLSearchParams) => readonly string[]): Mutant["plant"] {
  return before((request, real) => {
    const url = new URL(request.url);
    if (!isFor(request, "GET", "/api/v1/tryon")) return real(request);
    for (const name of fits(url.searchParams)) url.searchParams.delete(name);
    return real(redirected(request, { url: url.href }));
  });
}

/** What is answered, in which form, and in which order it is looked at. */
export const responseMutants: readonly Mutant[] = [
  {
    name: "a limit of 0 is passed over",
    section: "semantics 7. Jobs",
    expected: ["list-query.limit"],
    plant: withoutQuery((query) => (query.get("limit") === "0" ? ["limit"] : [])),
  },
  {
    name: "a filter that there is not is passed over",
    section: list,
    expected: ["list-query.status-filter.unknown"],
    plant: withoutQuery((query) =>
      query.get("status") === "finished" ? ["status", "status_filter"] : [],
    ),
  },
  {
    name: "the filter for failed jobs is passed over",
    section: list,
    expected: ["list-query.status-filter"],
    plant: withoutQuery((query) =>
      query.get("status") === "failed" ? ["status", "status_filter"] : [],
    ),
  },
  {
    name: "an unknown cursor begins anew",
    section: list,
    expected: ["list-query.cursor.unknown"],
    plant: before(async (request, real) => {
      const response = await real(request.clone());
      const url = new URL(request.url);
      if (response.status !== 400 || !url.searchParams.has("cursor")) return response;
      url.searchParams.delete("cursor");
      return real(redirected(request, { url: url.href }));
    }),
  },
  {
    name: "a 422 names one problem alone",
    section: "ErrorResponse and HTTPValidationError",
    expected: ["refusals.all-problems"],
    plant: changedJson(hasStatus(422), ({ detail }) => ({
      detail: elementsOf(detail).slice(0, 1),
    })),
  },
  {
    name: "the place of a problem begins with the field",
    section: "semantics 2. 400 or 422",
    expected: ["refusals.loc"],
    plant: changedJson(hasStatus(422), ({ detail }) => ({
      detail: elementsOf(detail).map((problem) => ({
        ...fieldsOf(problem),
        loc: elementsOf(fieldsOf(problem)["loc"]).slice(1),
      })),
    })),
  },
  {
    name: "a 400 does not say what is wrong",
    section: "semantics 2. 400 or 422",
    expected: ["refusals.named-field"],
    plant: changedJson(hasStatus(400), () => ({ detail: "Bad request." })),
  },
  {
    name: "a text is read as JSON whatever it says it is",
    section: "Endpoints",
    expected: ["refusals.content-type"],
    plant: before((request, real) =>
      request.method === "POST"
        ? real(redirected(request, { headers: { "content-type": "application/json" } }))
        : real(request),
    ),
  },
  {
    name: "bad input is a 400 with a text",
    section: "Errors",
    expected: ["refusals.form-is-422"],
    plant: changedAnswer(
      (request, { status }) => status === 422 && isFor(request, "POST", "/api/v1/tryon"),
      (response) => answerLike(response, '{"detail":"person_url is wrong"}', { status: 400 }),
    ),
  },
  {
    name: "bad input is a 400 on purchases, too",
    section: "Errors",
    expected: ["refusals.purchase-form-is-422"],
    plant: changedAnswer(
      (request, { status }) => status === 422 && isFor(request, "POST", "/api/v1/credits/purchase"),
      (response) => answerLike(response, '{"detail":"The order is wrong."}', { status: 400 }),
    ),
  },
  {
    name: "an image that is none is a 422",
    section: "Errors",
    expected: ["refusals.meaning-is-400"],
    plant: changedAnswer(
      (request, { status }) => status === 400 && isFor(request, "POST", "/api/v1/tryon"),
      async (response) => {
        const { detail } = fieldsOf(await response.clone().json());
        const [, field] = /^(\w+)\S*: .*(base64|not an image)/.exec(String(detail)) ?? [];
        if (field === undefined) return response;
        const problem = { loc: ["body", field], msg: "no image", type: "value_error" };
        return answerLike(response, JSON.stringify({ detail: [problem] }), { status: 422 });
      },
    ),
  },
  {
    name: "the fields are looked at before the key",
    section: order,
    expected: ["refusal-order.key-before-form"],
    plant: before(async (request, real) => {
      const isBare = request.headers.get("authorization") === null;
      if (!isBare || !isFor(request, "POST", "/api/v1/tryon")) return real(request);
      const { seed } = await bodyOf(request);
      return seed === -1 ? badSeed() : real(request);
    }),
  },
  {
    name: "the fields are looked at before the state of the key",
    section: order,
    expected: ["refusal-order.state-before-form"],
    plant: formBefore(403),
  },
  {
    name: "the fields are looked at before the rate limit",
    section: order,
    expected: ["refusal-order.limit-before-form"],
    plant: formBefore(429),
  },
  {
    name: "what is missing is looked at before the fields",
    section: order,
    expected: ["refusal-order.form-before-meaning"],
    plant: before(async (request, real) => {
      if (!isFor(request, "POST", "/api/v1/tryon")) return real(request);
      const { seed, ...fields } = await bodyOf(request);
      const bare = seed === -1 && fields["person_image_b64"] === undefined;
      return real(bare ? withBody(request, JSON.stringify(fields)) : request);
    }),
  },
  {
    name: "the credits are looked at first",
    section: order,
    expected: ["refusal-order.meaning-before-credits"],
    plant: before(async (request, real) => {
      const response = await real(request.clone());
      if (response.status !== 400 || !isFor(request, "POST", "/api/v1/tryon")) return response;
      const key = request.headers.get("authorization") ?? "";
      if (key.includes("svc_test_") || (await balanceOf(key, request, real)) > 0) return response;
      return answerLike(response, '{"detail":"Too few credits."}', { status: 402 });
    }),
  },
];

/** Refuses a seed that cannot be where the server refuses the call for another reason. */
function formBefore(status: number): Mutant["plant"] {
  return before(async (request, real) => {
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
  const answer = await real(new URL("/api/v1/account", url), { headers: { authorization } });
  return Number(fieldsOf(await answer.json())["credits_remaining"]);
}
