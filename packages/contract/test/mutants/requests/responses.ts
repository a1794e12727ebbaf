import { elementsOf, fieldsOf, type Fields } from "../../../src/wire/response.ts";
import { fieldsIn, patched, refusal, responses, type Change } from "../mutated-responses.ts";
import { mutants } from "../mutant.ts";

export const responseMutants = mutants({
  "list-query.limit: ignores a limit of 0": withoutQuery("limit", "0"),
  "list-query.status-filter.unknown: ignores an unknown filter": withoutQuery("status", "finished"),
  "list-query.status-filter: ignores the filter for failed jobs": withoutQuery("status", "failed"),
  "refusals.all-problems: lists only one invalid field in a 422": patched(422, ({ detail }) => ({
    detail: elementsOf(detail).slice(0, 1),
  })),
  "refusals.all-problems, refusals.loc: omits the field in the location of a problem": patched(
    422,
    ({ detail }) => {
      const problems = elementsOf(detail).map(fieldsOf);
      return {
        detail: problems.map((one) => ({ ...one, loc: elementsOf(one["loc"]).slice(0, 1) })),
      };
    },
  ),
  "refusals.named-field: omits the field in a 400": patched(400, { detail: "Bad request." }),
  "list-query.cursor.unknown: returns the first page for an unknown cursor": responses(
    ({ status }, { url, send }) => {
      if (status !== 400 || !url.searchParams.has("cursor")) return undefined;
      return send({ url: new URL(url.pathname, url) });
    },
  ),
  "refusals.form-is-422: responds with 400 when fields break the schema": responses(
    ({ status }, request) =>
      status === 422 && request.kind === "submit" ? refusal(400, "person_url is wrong") : undefined,
  ),
  "refusals.purchase-form-is-422: responds with 400 when a purchase breaks its schema": responses(
    ({ status }, request) =>
      status === 422 && request.kind === "purchase" ? refusal(400) : undefined,
  ),
  "refusals.meaning-is-400: responds with 422 to an invalid image": responses(
    async (response, request) => {
      if (response.status !== 400 || request.kind !== "submit") return undefined;
      const { detail } = await fieldsIn(response);
      const [, field] = /^(\w+)\S*: .*(base64|not an image)/.exec(String(detail)) ?? [];
      return field === undefined ? undefined : invalid(field);
    },
  ),
  "refusal-order.state-before-form: checks the fields before the state of the key": responses(
    ({ status }, { body }) => (status === 403 && body["seed"] === -1 ? invalid("seed") : undefined),
  ),
  "refusal-order.limit-before-form: checks the fields before the rate limit": responses(
    ({ status }, { body }) => (status === 429 && body["seed"] === -1 ? invalid("seed") : undefined),
  ),
  "content.disallowed: has a result_url of disallowed content in the list": patched(
    "list",
    ({ jobs }) => ({ jobs: elementsOf(jobs).map(fieldsOf).map(withUrl) }),
  ),
  "list-query.status-filter.unfinished: omits running jobs where they are asked for":
    withoutJobs("running"),
  "refusals.content-type: reads a body of any content type as JSON":
    () =>
    ({ method, send }) =>
      send(method === "POST" ? { headers: { "content-type": "application/json" } } : {}),
  "refusal-order.key-before-form: checks the fields before the key":
    () =>
    async ({ token, body, send }) =>
      token === "" && body["seed"] === -1 ? invalid("seed") : send(),
  "refusal-order.form-before-meaning: checks missing fields before the schema":
    () =>
    ({ body, send }) => {
      const { seed, ...rest } = body;
      const isBare = seed === -1 && body["person_image_b64"] === undefined;
      return send(isBare ? { body: rest } : {});
    },
  "refusal-order.meaning-before-credits: checks the credits before the fields": responses(
    async ({ status }, { kind, token }, { mock }) => {
      if (status !== 400 || kind !== "submit") return undefined;
      const isPaid = token.startsWith("svc_test_") || (await mock.ledger(token))?.balance !== 0;
      return isPaid ? undefined : refusal(402);
    },
  ),
});

function withoutQuery(name: string, value: string): Change {
  return () => (request) => {
    const url = new URL(request.url);
    if (request.kind !== "list" || url.searchParams.get(name) !== value) return request.send();
    for (const one of [name, `${name}_filter`]) url.searchParams.delete(one);
    return request.send({ url });
  };
}

export function withoutJobs(status: string): Change {
  return () => async (request) => {
    const isAsked =
      request.kind === "list" && request.url.searchParams.get("status_filter") === status;
    return isAsked ? Response.json({ jobs: [], next_cursor: null }) : request.send();
  };
}

function withUrl(job: Fields): Fields {
  const url = "https://results.example/1.png";
  return job["error_message"] === "content_blocked" ? { ...job, result_url: url } : job;
}

function invalid(field: string): Response {
  const problem = { loc: ["body", field], msg: "is wrong", type: "value_error" };
  return Response.json({ detail: [problem] }, { status: 422 });
}
