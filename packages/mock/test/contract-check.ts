import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

import { openapi, operations, type Schema } from "@tryon/spec/openapi-document";
import type { Options } from "../src/options.ts";

/** Schema that a response must fit. */
type Verdict = { readonly schema: Schema; readonly name: string } | "free" | "undocumented";

const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
formats.default(ajv);
ajv.addVocabulary(["components", "x-alias-of", "x-credits", "x-open", "x-packs"]);
const compiled = new Map<string, ValidateFunction>();

const errorSchema: Verdict = {
  schema: { $ref: "#/components/schemas/ErrorResponse" },
  name: "ErrorResponse",
};
const discoveryTitles = new Set(
  ["/", "/api/discovery", "/api/docs", "/api/v1/openapi.json"].map((path) => `GET ${path}`),
);

/** Statuses of any URL that the contract does not list at each: their body is an ErrorResponse. */
const anywhere = new Set([404, 405]);

/**
 * Checks a response against spec/openapi.json: its status is documented for the operation, and its JSON body fits the
 * schema. Deviations by an option are allowed.
 *
 * @throws Error with the operation, the status and every problem.
 */
export function checkContract(
  request: { readonly method: string; readonly path: string },
  response: { readonly status: number; readonly headers: Headers; readonly body: unknown },
  options: Options,
): void {
  const title = titleOf(request);
  const verdict = verdictOn(title, response, options);
  if (verdict === "free") return;
  const place = `${title ?? `${request.method} ${request.path}`} ${response.status}`;
  if (verdict === "undocumented") throw new Error(`${place} is not in the contract.`);
  const type = response.headers.get("content-type");
  if (type !== "application/json") throw new Error(`${place} has the content type ${type}.`);
  const found = problemsOf(verdict, response.body).filter(
    (problem) => !isExpectedProblem(problem, options),
  );
  if (found.length > 0) throw new Error(`${place} breaks the contract: ${found.join("; ")}`);
}

function titleOf({ method, path }: { method: string; path: string }): string | undefined {
  const sent = method === "HEAD" ? "GET" : method;
  const segments = path.split("/");
  return operations.find(({ title }) => {
    const [verb, template = ""] = title.split(" ");
    const parts = template.split("/");
    const fits = parts.every((part, index) => part.startsWith("{") || part === segments[index]);
    return verb === sent && parts.length === segments.length && fits;
  })?.title;
}

function verdictOn(
  title: string | undefined,
  { status }: { status: number },
  options: Options,
): Verdict {
  if (status === 307 && options.slashRedirect) return "free";
  if (status === 413 && options.oversize === 413) return "free";
  if (status === 504 && options.syncCut !== "off") return "free";
  if (status === 415 && options.wrongContentType === 415) return errorSchema;
  const operation = operations.find((candidate) => candidate.title === title);
  const response = operation?.responses.get(String(status));
  if (response !== undefined) {
    const schema = response.content["application/json"]?.schema;
    return schema === undefined ? "free" : { schema, name: `${title} ${status}` };
  }
  const needsKey = options.discoveryKey && discoveryTitles.has(title ?? "");
  if (anywhere.has(status) || (needsKey && status === 401)) return errorSchema;
  return title === undefined ? "free" : "undocumented";
}

function problemsOf({ schema, name }: { schema: Schema; name: string }, body: unknown): string[] {
  const validate = compiled.get(name) ?? ajv.compile({ ...schema, components: openapi.components });
  compiled.set(name, validate);
  if (validate(body)) return [];
  return (validate.errors ?? []).map(
    (error) => `${error.keyword} ${JSON.stringify(error.params)} at ${error.instancePath || "/"}`,
  );
}

function isExpectedProblem(problem: string, options: Options): boolean {
  if (options.sparseSubmit && problem.includes('"missingProperty":"cost_credits"')) return true;
  return options.timeFormat === "naive" && /^format .*(created|completed)_at$/.test(problem);
}
