import { readDuration } from "./duration.ts";
import { hintFor } from "./known-names.ts";

/** Rejection of an option, with the parts of its message. Names of other options are in braces there. */
export class OptionsError extends TypeError {
  declare readonly field: string;
  /** Completes "FIELD …". */
  declare readonly problem: string;
  declare readonly hint: string | undefined;

  constructor(field: string, problem: string, hint?: string) {
    super(sentenceOf({ field, problem, hint }));
    Object.assign(this, { name: "OptionsError", field, problem, hint });
  }
}

/**
 * Writes the message of a rejection.
 *
 * @param nameOf Returns the name of an option where the message is read.
 */
export function sentenceOf(
  { field, problem, hint = "" }: Pick<OptionsError, "field" | "problem" | "hint">,
  nameOf = (name: string): string => name,
): string {
  const fill = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => nameOf(name));
  return `${nameOf(field)} ${fill(`${problem}. ${hint}`)}`.trim();
}

export interface Rule<Value = unknown> {
  /** Completes "OPTION must be …". */
  readonly expected: string;
  /** Returns a valid value in its final form, and undefined for another one. Has the name for errors of a part. */
  readonly read: (this: void, given: unknown, name: string) => Value | undefined;
  /** Value of an option that is not given, in its final form. */
  readonly fallback?: Value;
  readonly isRequired?: boolean;
  readonly isSecret?: boolean;
  readonly hint?: string;
}

export type Rules = Readonly<Record<string, Rule>>;

type ValueOf<One extends Rule> = One extends
  | { readonly fallback: unknown }
  | { readonly isRequired: true }
  ? Exclude<ReturnType<One["read"]>, undefined>
  : ReturnType<One["read"]>;

export type Values<All extends Rules> = { readonly [Name in keyof All]: ValueOf<All[Name]> };

/**
 * Reads the options of a function. An option that is undefined counts as not given.
 *
 * @param what Completes "NAME is not …", such as `an option of createMock`.
 * @throws OptionsError with the first unknown or invalid option.
 */
export function readOptions<const All extends Rules>(
  what: string,
  given: object,
  rules: All,
): Values<All> {
  rejectUnknown(what, given, Object.keys(rules));
  const values: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(rules)) {
    values[name] = readValue(name, Reflect.get(given, name), rule);
  }
  // Each value is that of its rule.
  return values as Values<All>;
}

export function rejectUnknown(what: string, given: object, known: readonly string[]): void {
  if (Object(given) !== given) {
    throw new OptionsError("The argument", `must be an object; got ${show(given)}`);
  }
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !known.includes(name)) throw unknownName(what, name, known);
  }
}

export function unknownName(what: string, name: string, known: readonly string[]): OptionsError {
  const hint = known.length > 0 ? hintFor(name, known) : "Leave it out.";
  return new OptionsError(name.slice(0, 100), `is not ${what}`, hint);
}

export function readValue<Value>(
  name: string,
  given: unknown,
  { read, expected, fallback, isRequired, isSecret, hint }: Rule<Value>,
): Value | undefined {
  if (given === undefined && !isRequired) return fallback;
  const value = read(given, name);
  if (value !== undefined) return value;
  const got = isSecret ? "" : `; got ${show(given)}`;
  throw new OptionsError(name, `must be ${expected}${got}`, hint);
}

/** Formats a value for a message: at most 100 characters, or the type of an object or a function. */
export function show(value: unknown): string {
  if (Object(value) === value) return Array.isArray(value) ? "array" : typeof value;
  return typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : String(value);
}

export function accepting<Value>(
  expected: string,
  accepts: (given: unknown) => boolean,
): Rule<Value> {
  // The test accepts values of this type only.
  return { expected, read: (given) => (accepts(given) ? (given as Value) : undefined) };
}

export function anything<Value>(): Rule<Value> {
  return accepting("", () => true);
}

export function string(): Rule<string> {
  return ofType("a string");
}

export function func<Value>(): Rule<Value> {
  return ofType("a function");
}

function ofType<Value>(expected: string): Rule<Value> {
  return accepting(expected, (given) => expected.endsWith(` ${typeof given}`));
}

export function oneOf<const Value>(...values: readonly Value[]): Rule<Value> {
  const shown = values.map(show);
  return accepting(shown.length > 2 ? `one of ${shown.join(", ")}` : shown.join(" or "), (given) =>
    values.some((value) => value === given),
  );
}

export function boolean(): Rule<boolean> {
  return oneOf(true, false);
}

export function number(min: number, max = Infinity): Rule<number> {
  return accepting(`a number ${range(min, max)}`, isBetween(min, max));
}

export function wholeNumber(min: number, max = Infinity): Rule<number> {
  const isInRange = isBetween(min, max);
  return accepting(
    `a whole number ${range(min, max)}`,
    (given) => Number.isSafeInteger(given) && isInRange(given),
  );
}

function range(min: number, max: number): string {
  return `from ${min} ${max < Infinity ? `to ${max}` : "up"}`;
}

/** Rule of durations, in milliseconds when they are read. They are finite, and above 0 unless `min` is 0. */
export function duration(min = Number.MIN_VALUE, max = Number.MAX_VALUE): Rule<number> {
  const text = min ? "a positive number of milliseconds" : "a number of milliseconds from 0 up";
  const end = max < Number.MAX_VALUE ? ` and at most ${max}` : "";
  const isInRange = isBetween(min, max);
  return {
    expected: `${text}${end}, or a string such as "30s"`,
    read(given) {
      const time = typeof given === "string" ? readDuration(given) : given;
      // Only a number is in the range.
      return isInRange(time) ? (time as number) : undefined;
    },
  };
}

function isBetween(min: number, max: number): (given: unknown) => boolean {
  return (given) => typeof given === "number" && given >= min && given <= max;
}
