import { elementsOf, fieldsOf, type Fields } from "../../../src/wire/response.ts";
import {
  changedFields,
  changeJobs,
  fieldsIn,
  isList,
  isSubmit,
  mutated,
  refusal,
} from "../mutated-responses.ts";
import { mutants, type Mutant } from "../mutant.ts";
import { handled, isFor, responses } from "./changes.ts";

/** Mutants in refusals, their order, and queries of the list. */
export const responseMutants: readonly Mutant[] = [
  ...mutants(withoutQuery, {
    "list-query.limit": ["ignores a limit of 0", "limit", "0"],
    "list-query.status-filter.unknown": ["ignores an unknown filter", "status", "finished"],
    "list-query.status-filter": ["ignores the filter for failed jobs", "status", "failed"],
  }),
  ...mutants(changedFields, {
    "refusals.all-problems": [
      "lists only one invalid field in a 422",
      ({ detail }, _request, { status }) =>
        status === 422 ? { detail: elementsOf(detail).slice(0, 1) } : undefined,
    ],
    "refusals.all-problems, refusals.loc": [
      "omits the field in the location of a problem",
      ({ detail }, _request, { status }) => {
        if (status !== 422) return undefined;
        const problems = elementsOf(detail).map(fieldsOf);
        return {
          detail: problems.map((one) => ({ ...one, loc: elementsOf(one["loc"]).slice(0, 1) })),
        };
      },
    ],
    "refusals.named-field": [
      "omits the field in a 400",
      (_fields, _request, { status }) => (status === 400 ? { detail: "Bad request." } : undefined),
    ],
  }),
  ...mutants(responses, {
    "list-query.cursor.unknown": [
      "returns the first page for an unknown cursor",
      ({ status }, { url, send }) => {
        if (status !== 400 || !url.searchParams.has("cursor")) return undefined;
        return send({ url: new URL(url.pathname, url) });
      },
    ],
    "refusals.form-is-422": [
      "responds with 400 when fields break the schema",
      ({ status }, request) =>
        status === 422 && isSubmit(request) ? refusal(400, "person_url is wrong") : undefined,
    ],
    "refusals.purchase-form-is-422": [
      "responds with 400 when a purchase breaks its schema",
      ({ status }, request) =>
        status === 422 && isFor(request, "POST /api/v1/credits/purchase")
          ? refusal(400)
          : undefined,
    ],
    "refusals.meaning-is-400": [
      "responds with 422 to an invalid image",
      async (response, request) => {
        if (response.status !== 400 || !isSubmit(request)) return undefined;
        const { detail } = await fieldsIn(response);
        const [, field] = /^(\w+)\S*: .*(base64|not an image)/.exec(String(detail)) ?? [];
        return field === undefined ? undefined : invalid(field);
      },
    ],
    "refusal-order.state-before-form": [
      "checks the fields before the state of the key",
      ({ status }, { body }) =>
        status === 403 && body["seed"] === -1 ? invalid("seed") : undefined,
    ],
    "refusal-order.limit-before-form": [
      "checks the fields before the rate limit",
      ({ status }, { body }) =>
        status === 429 && body["seed"] === -1 ? invalid("seed") : undefined,
    ],
  }),
  ...mutants(handled, {
    "content.disallowed": [
      "has a result_url of disallowed content in the list",
      async (request) => {
        const response = await request.send();
        return isList(request) ? changeJobs(request, response, withUrl) : response;
      },
    ],
    "list-query.status-filter.unfinished": [
      "omits running jobs where they are asked for",
      (request) => {
        const { url, send } = request;
        const isAsked = isList(request) && url.searchParams.get("status_filter") === "running";
        return isAsked ? Promise.resolve(Response.json({ jobs: [], next_cursor: null })) : send();
      },
    ],
    "refusals.content-type": [
      "reads a body of any content type as JSON",
      ({ method, send }) =>
        send(method === "POST" ? { headers: { "content-type": "application/json" } } : {}),
    ],
    "refusal-order.key-before-form": [
      "checks the fields before the key",
      async ({ token, body, send }) =>
        token === "" && body["seed"] === -1 ? invalid("seed") : send(),
    ],
    "refusal-order.form-before-meaning": [
      "checks missing fields before the schema",
      ({ body, send }) => {
        const { seed, ...rest } = body;
        const isBare = seed === -1 && body["person_image_b64"] === undefined;
        return send(isBare ? { body: rest } : {});
      },
    ],
  }),
  ...mutants(mutated, {
    "refusal-order.meaning-before-credits": [
      "checks the credits before the fields",
      (mock) => async (request) => {
        const response = await request.send();
        const { token } = request;
        if (response.status !== 400 || !isSubmit(request)) return response;
        const isPaid = token.startsWith("svc_test_") || (await mock.ledger(token))?.balance !== 0;
        return isPaid ? response : refusal(402);
      },
    ],
  }),
];

/** Removes a limit or filter from the query of the list when it has a value. */
function withoutQuery(name: string, value: string): Mutant["plant"] {
  return handled((request) => {
    const url = new URL(request.url);
    if (!isList(request) || url.searchParams.get(name) !== value) return request.send();
    for (const one of [name, `${name}_filter`]) url.searchParams.delete(one);
    return request.send({ url });
  });
}

function withUrl({ error_message: message }: Fields): Fields {
  return message === "content_blocked" ? { result_url: "https://results.example/1.png" } : {};
}

function invalid(field: string): Response {
  const problem = { loc: ["body", field], msg: "is wrong", type: "value_error" };
  return Response.json({ detail: [problem] }, { status: 422 });
}
