import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

import openapi from "@tryon/spec/openapi.json" with { type: "json" };
import { fieldsOf, type Fields } from "./response.ts";

/** What the document says of one status of an operation. */
interface DocumentedAnswer {
  /** Says what is wrong with a body, or nothing when it fits. */
  readonly problems: (body: unknown) => readonly string[];
  /** Headers that the answer has to have. */
  readonly headers: readonly string[];
  /** The media types of its body. */
  readonly types: readonly string[];
}

/** An operation of the document. */
export interface Operation {
  /** Method and path, such as `GET /api/v1/tryon/{job_id}`. */
  readonly title: string;
  readonly answers: ReadonlyMap<number, DocumentedAnswer>;
}

const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
formats.default(ajv);
ajv.addVocabulary(["components", "x-credits", "x-packs"]);

/** Every operation that `spec/openapi.json` has. */
export const operations: readonly Operation[] = Object.entries(openapi.paths).flatMap(
  ([path, item]) =>
    Object.entries(item)
      .filter(([method]) => ["get", "post"].includes(method))
      .map(([method, operation]) => ({
        title: `${method.toUpperCase()} ${path}`,
        answers: answersOf(fieldsOf(operation)),
      })),
);

/** The operation that a call is one of; HEAD is answered as GET is. */
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

const webhooks = fieldsOf(openapi.webhooks);
const [webhook] = Object.values(webhooks).map((item) => fieldsOf(fieldsOf(item)["post"]));

/** Says what is wrong with the body of a webhook, or nothing when it fits. */
export const eventProblems = problemFinder(schemaOf(fieldsOf(webhook?.["requestBody"])));

function answersOf(operation: Fields): ReadonlyMap<number, DocumentedAnswer> {
  return new Map(
    Object.entries(fieldsOf(operation["responses"])).map(([status, response]) => {
      const { headers, content } = resolved(response);
      const required = Object.entries(fieldsOf(headers))
        // Those of a 429 are optional in their schemas, which all answers share; the service says that a 429 has them.
        .filter(([, header]) => status === "429" || resolved(header)["required"] === true)
        .map(([name]) => name.toLowerCase());
      const types = Object.keys(fieldsOf(content));
      const problems = problemFinder(schemaOf(resolved(response)));
      return [Number(status), { problems, headers: required, types }];
    }),
  );
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
