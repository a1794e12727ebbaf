import { readBytes } from "../../http/body.ts";
import { jsonLimitProblem } from "../../http/json-limits.ts";
import type { Mock } from "../../mock-interface.ts";
import { show } from "../../shown.ts";

/** A mock without its transport: the part that the control API exposes. */
export type ControlledMock = Omit<Mock, "fetch" | "close">;

/** An error response of the control API. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** @throws ControlError 400 */
export function badRequest(message: string): never {
  throw new ControlError(400, message);
}

/** Names of fields over HTTP, each with its name in process. */
export type FieldNames = Readonly<Record<string, string>>;

/**
 * Reads the JSON object in a body. An empty body is an empty object.
 *
 * @returns the fields by their names in process.
 * @throws ControlError 400 for any other body, and for a field that is not in `names`.
 */
export async function readFields(
  request: Request,
  names: FieldNames,
): Promise<Readonly<Record<string, unknown>>> {
  const body = parse(await readBytes(request));
  if (body === null || typeof body !== "object" || Array.isArray(body)) {
    return badRequest(`The body must be a JSON object; got ${show(body)}.`);
  }
  const fields = Object.entries(body).map(([name, value]) => {
    const known = Object.hasOwn(names, name) ? names[name] : undefined;
    return [known ?? unknownName("field", name, Object.keys(names)), value];
  });
  return Object.fromEntries(fields);
}

/**
 * Reads a query.
 *
 * @throws ControlError 400 for a name that is not in `names` or that occurs twice.
 */
export function readQuery<Name extends string>(
  url: string,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const values: Partial<Record<Name, string>> = {};
  for (const [given, value] of new URL(url).searchParams) {
    const name =
      names.find((known) => known === given) ?? unknownName("query parameter", given, names);
    if (values[name] !== undefined) return badRequest(`${name} occurs twice; send it once.`);
    values[name] = value;
  }
  return values;
}

/** @throws ControlError 400 for anything but a whole number between the bounds. */
export function wholeNumber(field: string, value: unknown, min: number, max: number): number {
  const number = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= min && number <= max) {
    return number;
  }
  return badRequest(`${field} must be a whole number from ${min} to ${max}; got ${show(value)}.`);
}

/**
 * Runs a function of the mock that validates its input by the names of fields in process.
 *
 * @param status Status of the response; 404 if only the id in the URL can be wrong.
 * @throws ControlError for a TypeError or RangeError, with the names of the fields over HTTP.
 */
export async function withFieldNames<Result>(
  names: FieldNames,
  work: () => Result | Promise<Result>,
  status = 400,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    const overHttp = new Map(Object.entries(names).map(([http, inProcess]) => [inProcess, http]));
    // Words in quotes are the caller's values.
    const words = /"[^"]*"|\b[A-Za-z]+\b/g;
    const message = error.message.replaceAll(words, (word) => overHttp.get(word) ?? word);
    throw new ControlError(status, message);
  }
}

function unknownName(kind: string, name: string, names: readonly string[]): never {
  const known = names.length === 0 ? "takes none" : `takes ${names.join(", ")}`;
  return badRequest(`Unknown ${kind} ${show(name)}; this request ${known}.`);
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  const limitProblem = jsonLimitProblem(bytes);
  if (limitProblem !== undefined) return badRequest(limitProblem);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return badRequest("The body is not JSON in UTF-8; send a JSON object.");
  }
}
