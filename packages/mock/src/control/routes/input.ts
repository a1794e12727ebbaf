import { OptionsError, sentenceOf, show, unknownName } from "@tryon/shared/options";

import type { HttpRequest } from "../../http/message.ts";
import { parseJson, readBytes } from "../../http/body.ts";
import { json } from "../../http/responses.ts";
import type { Router } from "../../http/router.ts";
import type { Mock } from "../../mock-interface.ts";
import { badRequest, ServiceError } from "../../service/service-error.ts";
import { snakeName } from "./snake-case.ts";

export type ControlledMock = Omit<Mock, "fetch" | "close">;

type FieldNames = Readonly<Record<string, string>>;

export function fieldNames(
  inProcess: readonly string[],
  renamed: Readonly<Record<string, string>> = {},
): FieldNames {
  return Object.fromEntries(inProcess.map((name) => [renamed[name] ?? snakeName(name), name]));
}

async function readFields(
  request: HttpRequest,
  names: FieldNames,
): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readBytes(request);
  const { value: body, error } = bytes.length === 0 ? { value: {} } : parseJson(bytes);
  if (error !== undefined) return badRequest(`The body is ${error}; send a JSON object.`);
  if (body === null || typeof body !== "object" || Array.isArray(body)) {
    return badRequest(`The body must be a JSON object; got ${show(body)}.`);
  }
  const fields = Object.entries(body).map(([name, value]) => {
    const known = Object.hasOwn(names, name) ? names[name] : undefined;
    return [known ?? refuseName("field", name, Object.keys(names)), value];
  });
  return Object.fromEntries(fields);
}

export function readQuery<Name extends string>(
  { search }: HttpRequest,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const values: Partial<Record<Name, string>> = {};
  for (const [given, value] of new URLSearchParams(search)) {
    const name =
      names.find((known) => known === given) ?? refuseName("query parameter", given, names);
    if (values[name] !== undefined) return badRequest(`${name} occurs twice; send it once.`);
    values[name] = value;
  }
  return values;
}

export function wholeNumber(field: string, value: unknown, min: number, max: number): number {
  const number = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= min && number <= max) {
    return number;
  }
  return badRequest(`${field} must be a whole number from ${min} to ${max}; got ${show(value)}.`);
}

/** Ids in a URL by their names in process. An invalid one is unknown. */
const idNames: ReadonlyMap<string, string> = new Map([
  ["paymentIntentId", "payment_intent_id"],
  ["deliveryId", "delivery_id"],
]);

/**
 * Runs a function of the mock that validates its input by the names of fields in process.
 *
 * @throws ServiceError for an `OptionsError`, with the names of the fields over HTTP.
 */
export async function withFieldNames<Result>(
  names: FieldNames,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    const overHttp = new Map(Object.entries(names).map(([http, inProcess]) => [inProcess, http]));
    const nameOf = (path: string): string =>
      path.replace(/^\w+/, (name) => overHttp.get(name) ?? idNames.get(name) ?? name);
    const reason = idNames.has(error.field) ? "not-found" : "bad-request";
    throw new ServiceError(reason, sentenceOf(error, nameOf));
  }
}

/** Adds a POST with these fields, to which the response is the result of `run`, or an empty object. */
export function addPost(
  router: Router,
  path: string,
  names: FieldNames,
  run: (fields: Awaited<ReturnType<typeof readFields>>, part: string) => unknown,
): void {
  router.add("POST", `/__mock/${path}`, async (request, part) => {
    const fields = await readFields(request, names);
    return json((await withFieldNames(names, () => run(fields, part))) ?? {});
  });
}

function refuseName(kind: string, name: string, names: readonly string[]): never {
  return badRequest(unknownName(`a ${kind} of this request`, name, names).message);
}
