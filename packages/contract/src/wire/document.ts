import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

import openapi from "@tryon/spec/openapi.json" with { type: "json" };
import { elementsOf, fieldsOf, type Fields, type HttpResponse } from "./response.ts";

type FindProblems = (response: HttpResponse) => readonly string[];

export interface Operation {
  readonly title: string;
  readonly needsKey: boolean;
  readonly responses: ReadonlyMap<number, FindProblems>;
}

export const packs = openapi.components.schemas.PackSlug["x-packs"];

const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
formats.default(ajv);
ajv.addVocabulary(["components", "x-alias-of", "x-credits", "x-open", "x-packs"]);

export const operations: readonly Operation[] = Object.entries(openapi.paths).flatMap(
  ([path, item]) =>
    Object.entries(item)
      .filter(([method]) => ["get", "post"].includes(method))
      .map(([method, operation]) => ({
        title: `${method.toUpperCase()} ${path}`,
        needsKey: fieldsOf(operation)["security"] === undefined,
        responses: responsesOf(fieldsOf(operation)),
      })),
);

export const keyedEndpoints = operations.flatMap((one) => (one.needsKey ? [one.title] : []));

export interface DocumentedFields extends ReadonlyMap<string, DocumentedFields> {}

export const documentedFields = {
  request: fieldsOfSchemas(bodiesOf("requestBody").map(schemaOf)),
  response: fieldsOfSchemas(bodiesOf("responses").map(schemaOf)),
};

/** Names of the documented headers of responses, in lower case. */
export const documentedHeaders: ReadonlySet<string> = new Set(
  bodiesOf("responses").flatMap(({ headers }) =>
    Object.keys(fieldsOf(headers)).map((name) => name.toLowerCase()),
  ),
);

function bodiesOf(part: "requestBody" | "responses"): readonly Fields[] {
  const owners = Object.values(openapi.paths).flatMap((item) => Object.values(item).map(fieldsOf));
  const holders = owners.flatMap(({ [part]: one }) =>
    part === "requestBody" ? [one] : Object.values(fieldsOf(one)),
  );
  return holders.map(resolved);
}

function fieldsOfSchemas(schemas: readonly unknown[]): DocumentedFields {
  const byName = new Map<string, unknown[]>();
  const collect = (schema: unknown): void => {
    const { properties, items, anyOf, oneOf, allOf } = resolved(schema);
    for (const [name, one] of Object.entries(fieldsOf(properties))) {
      byName.set(name, [...(byName.get(name) ?? []), one]);
    }
    for (const one of [items ?? {}, ...[anyOf, oneOf, allOf].flatMap(elementsOf)]) {
      if (Object.keys(fieldsOf(one)).length > 0) collect(one);
    }
  };
  for (const schema of schemas) collect(schema);
  return new Map([...byName].map(([name, own]) => [name, fieldsOfSchemas(own)]));
}

/** Finds the operation of a request. HEAD has the responses of GET. */
export function operationOf(method: string, pathname: string): Operation | undefined {
  const verb = method === "HEAD" ? "GET" : method;
  const segments = pathname.split("/");
  return operations.find(({ title }) => {
    const [expected, template = ""] = title.split(" ");
    const parts = template.split("/");
    const fits = parts.every(
      (part, index) => (part.startsWith("{") && segments[index] !== "") || part === segments[index],
    );
    return expected === verb && parts.length === segments.length && fits;
  });
}

const submission = openapi.components.schemas.TryOnRequest;
export const requestProblems = problemFinder(submission);
// A missing person and a URL without https get 400, also where faults of fields get 422.
const { if: _if, then: _then, ...fieldRules } = submission;
export const fieldProblems = problemFinder(fieldRules);

const webhooks = fieldsOf(openapi.webhooks);
const [webhook] = Object.values(webhooks).map((item) => fieldsOf(fieldsOf(item)["post"]));

export const eventProblems = problemFinder(schemaOf(resolved(webhook?.["requestBody"])));

function responsesOf(operation: Fields): ReadonlyMap<number, FindProblems> {
  return new Map(
    Object.entries(fieldsOf(operation["responses"])).map(([status, response]) => {
      const { headers, content } = resolved(response);
      const required = Object.entries(fieldsOf(headers))
        // All responses share the schemas of these headers, which are optional. A 429 must have them.
        .filter(([, header]) => status === "429" || resolved(header)["required"] === true)
        .map(([name]) => name.toLowerCase());
      const types = Object.keys(fieldsOf(content));
      const bodyProblems = problemFinder(schemaOf(resolved(response)));
      const findProblems: FindProblems = (received) => [
        ...typeProblems(received, types),
        ...required
          .filter((name) => received.headers.get(name) === null)
          .map((name) => `the header ${name} is missing`),
        ...bodyProblems(received.json ?? null),
      ];
      return [Number(status), findProblems];
    }),
  );
}

function typeProblems({ headers }: HttpResponse, types: readonly string[]): string[] {
  const type = (headers.get("content-type") ?? "").split(";", 1)[0]?.trim() ?? "";
  if (types.length === 0 || types.includes(type)) return [];
  return [`the content type is ${type === "" ? "missing" : type}, and not ${types.join(" or ")}`];
}

function schemaOf(holder: Fields): Fields | undefined {
  const media = fieldsOf(fieldsOf(holder["content"])["application/json"]);
  return media["schema"] === undefined ? undefined : fieldsOf(media["schema"]);
}

function problemFinder(schema: Fields | undefined): (body: unknown) => readonly string[] {
  if (schema === undefined) return () => [];
  let validate: ValidateFunction | undefined;
  return (body) => {
    validate ??= ajv.compile({ ...schema, components: openapi.components });
    return validate(body) ? [] : [...new Set(validate.errors?.map(describe))];
  };
}

function describe({ instancePath, message, params, keyword }: ErrorObject): string {
  const place = instancePath === "" ? "the body" : instancePath.slice(1).replaceAll("/", ".");
  const detail = keyword === "required" || keyword === "type" ? "" : ` (${JSON.stringify(params)})`;
  return `${place} ${message ?? keyword}${detail}`;
}

function resolved(value: unknown): Fields {
  const { $ref } = fieldsOf(value);
  if (typeof $ref !== "string") return fieldsOf(value);
  let target: unknown = openapi;
  for (const part of $ref.replace("#/", "").split("/")) target = fieldsOf(target)[part];
  return fieldsOf(target);
}
