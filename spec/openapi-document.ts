import { readFileSync } from "node:fs";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import formats from "ajv-formats";

/** The parts of openapi.json that the tests look at. */
interface Reference {
  readonly $ref: string;
}
export type Schema = Readonly<Record<string, unknown>>;
interface MediaType {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}
interface Header {
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}
type Content = Readonly<Record<string, MediaType>>;
interface Response {
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Content;
}
interface RequestBody {
  readonly required?: boolean;
  readonly content: Content;
}
interface OperationObject {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody | Reference;
  readonly responses: Readonly<Record<string, Response | Reference>>;
  readonly callbacks?: unknown;
}
type Paths = Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly security: readonly unknown[];
  readonly paths: Paths;
  readonly webhooks: Paths;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

// The linters of packages/frameworks check its form.
export const openapi = JSON.parse(
  readFileSync(new URL("openapi.json", import.meta.url), "utf8"),
) as Document;

function resolved<T extends object>(value: T | Reference): T {
  if (!("$ref" in value)) return value;
  let target: unknown = openapi;
  for (const key of value.$ref.replace("#/", "").split("/")) {
    target = (target as Record<string, unknown>)[key];
  }
  if (target === undefined) throw new Error(`${value.$ref} names nothing in openapi.json`);
  // The reference stands where only a T may stand.
  return target as T;
}

export interface Operation {
  /** Method and path, or the name of a webhook. */
  readonly title: string;
  readonly operationId: string;
  readonly security: readonly unknown[];
  readonly parameters: readonly Parameter[];
  readonly request: Content;
  readonly requestRequired: boolean;
  readonly responses: ReadonlyMap<
    string,
    { readonly headers: HeaderMap; readonly content: Content }
  >;
}
type HeaderMap = ReadonlyMap<string, Header>;

function operationsOf(
  paths: Paths,
  title: (method: string, path: string) => string,
): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody = { content: {} }, ...operation }]) => ({
      title: title(method.toUpperCase(), path),
      operationId: operation.operationId,
      security: operation.security ?? openapi.security,
      parameters: (operation.parameters ?? []).map(resolved),
      request: resolved(requestBody).content,
      requestRequired: resolved(requestBody).required ?? false,
      responses: new Map(
        Object.entries(operation.responses).map(([status, reference]) => {
          const { headers = {}, content = {} } = resolved(reference);
          const entries = Object.entries(headers).map(
            ([name, header]) => [name, resolved(header)] as const,
          );
          return [status, { headers: new Map(entries), content }];
        }),
      ),
    })),
  );
}

export const operations = operationsOf(openapi.paths, (method, path) => `${method} ${path}`);
export const webhooks = operationsOf(openapi.webhooks, (_method, name) => name);

export function schemaNamed(name: string): Schema {
  return resolved<Schema>({ $ref: `#/components/schemas/${name}` });
}

const ajv = new Ajv2020({
  strict: true,
  // A bound on strings may stand where a value of any type is allowed: metadata values.
  strictTypes: false,
  allErrors: true,
});
formats.default(ajv);
ajv.addVocabulary(["components", "x-alias-of", "x-credits", "x-open", "x-packs"]);

/** What the schema has against a value: `keyword at /place`, or nothing. */
export function problems(schema: Schema, value: unknown): readonly string[] {
  const validate = ajv.compile({ ...schema, components: openapi.components });
  validate(value);
  const errors: readonly ErrorObject[] = validate.errors ?? [];
  return errors.map((error) => `${error.keyword} at ${error.instancePath || "/"}`);
}
