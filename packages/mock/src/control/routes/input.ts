import { readBytes } from "../../http/body.ts";
import { jsonLimitProblem } from "../../http/json-limits.ts";
import { show } from "../../shown.ts";

/** Why a call of the control API is not carried out, and under which status it says so. */
export class ControlError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "ControlRefusal";
    this.status = status;
  }
}

/** @throws ControlRefusal 400 */
export function refuse(message: string): never {
  throw new ControlError(400, message);
}

/** The fields of a body as they are called over HTTP, each with its name in process. */
export type FieldNames = Readonly<Record<string, string>>;

/**
 * Reads a body: a JSON object, or nothing for one without fields.
 *
 * @returns the fields under their names in process.
 * @throws ControlRefusal 400 for anything else, and for a field that is not one of `names`.
 */
export async function readFields(
  request: Request,
  names: FieldNames,
): Promise<Readonly<Record<string, unknown>>> {
  const value = parse(await readBytes(request));
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    return refuse(`The body has to be a JSON object; got ${show(value)}.`);
  }
  const fields: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) {
    const known = Object.hasOwn(names, name) ? names[name] : undefined;
    if (known === undefined) return refuse(unknownName("field", name, Object.keys(names)));
    fields[known] = part;
  }
  return fields;
}

/**
 * Reads a query.
 *
 * @throws ControlRefusal 400 for a name that is not one of `names` or that comes twice.
 */
export function readQuery<Name extends string>(
  url: string,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const values: Partial<Record<Name, string>> = {};
  for (const [given, value] of new URL(url).searchParams) {
    const name = names.find((candidate) => candidate === given);
    if (name === undefined) return refuse(unknownName("query parameter", given, names));
    if (values[name] !== undefined) return refuse(`${name} comes twice; give it once.`);
    values[name] = value;
  }
  return values;
}

/** @throws ControlRefusal 400 unless it is a whole number in the bounds. */
export function wholeNumber(field: string, value: unknown, least: number, most: number): number {
  const number = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= least && number <= most) {
    return number;
  }
  return refuse(`${field} has to be a whole number from ${least} to ${most}; got ${show(value)}.`);
}

/**
 * Does what has checks of its own, which name the fields as they are called in process.
 *
 * @param status the status of the refusal: 404 where only the thing that an address names can be wrong.
 * @throws ControlRefusal with the message of a TypeError or RangeError, under the names that the fields have here.
 */
export async function checked<Result>(
  names: FieldNames,
  work: () => Result | Promise<Result>,
  status = 400,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw new ControlError(status, renamed(error.message, names));
  }
}

function renamed(message: string, names: FieldNames): string {
  const outside = new Map(Object.entries(names).map(([there, inside]) => [inside, there]));
  // A word in quotes is what the caller has sent.
  return message.replaceAll(/"[^"]*"|\b[A-Za-z]+\b/g, (word) => outside.get(word) ?? word);
}

function unknownName(kind: string, name: string, names: readonly string[]): string {
  const known = names.length === 0 ? "takes none" : `takes ${names.join(", ")}`;
  return `There is no ${kind} ${show(name)} here; this call ${known}.`;
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  const limitProblem = jsonLimitProblem(bytes);
  if (limitProblem !== undefined) return refuse(limitProblem);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return refuse("The body is not JSON in UTF-8; send a JSON object.");
  }
}
