import { readDuration } from "./duration.ts";
import { likelyName } from "./known-names.ts";

/** Rejection of an option, with the parts of its message: `FIELD PROBLEM; got VALUE. HINT` */
export class OptionsError extends TypeError {
  /** Name of the option. The name of a part of it follows after a dot. */
  declare readonly field: string;
  /** Completes "FIELD …". */
  declare readonly problem: string;
  /** Next step, as a sentence. */
  declare readonly hint: string | undefined;

  constructor(field: string, problem: string, hint?: string) {
    super(`${field} ${problem}.${hint ? ` ${hint}` : ""}`);
    Object.assign(this, { name: "OptionsError", field, problem, hint });
  }
}

/** Declaration of an option. */
export interface Rule<Value = unknown> {
  /** Completes "OPTION must be …". */
  readonly expected: string;
  /** Returns a valid value in its final form, and undefined for another one. Has the name for errors of a part. */
  readonly read: (this: void, given: unknown, name: string) => Value | undefined;
  /** Value of an option that is not given, in its final form. */
  readonly fallback?: Value;
  readonly isRequired?: boolean;
  /** If true, no message shows the value. */
  readonly isSecret?: boolean;
  /** Next step, as a sentence. */
  readonly hint?: string;
}

export type Rules = Readonly<Record<string, Rule>>;

type ValueOf<One> =
  One extends Rule<infer Value>
    ? One extends { readonly fallback: unknown } | { readonly isRequired: true }
      ? Value
      : Value | undefined
    : never;

/** Values of declared options. */
export type Values<All extends Rules> = { readonly [Name in keyof All]: ValueOf<All[Name]> };

/**
 * Reads the options of a function. An option that is undefined counts as not given.
 *
 * @param of Name of the function.
 * @throws OptionsError with the first unknown or invalid option.
 */
export function readOptions<const All extends Rules>(
  of: string,
  given: object,
  rules: All,
): Values<All> {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys({ ...rules, ...given })) {
    const value: unknown = Reflect.get(given, name);
    const rule = rules[name];
    if (rule) values[name] = readValue(name, value, rule);
    else if (value !== undefined) throw unknownName(`an option of ${of}`, name, Object.keys(rules));
  }
  // Each value is that of its rule.
  return values as Values<All>;
}

/** Creates the error of an unknown name. It names the one that is probably meant, or else all. */
export function unknownName(what: string, name: string, known: readonly string[]): OptionsError {
  const likely = likelyName(name, known);
  const hint = likely ? `Did you mean ${likely}?` : `Use one of: ${known.join(", ")}.`;
  return new OptionsError(name.slice(0, 100), `is not ${what}`, hint);
}

/** @throws OptionsError for an invalid value. */
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
  if (Object(value) === value) return typeof value;
  return typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : String(value);
}

/** Makes a rule of a test. */
export function accepting<Value>(
  expected: string,
  accepts: (given: unknown) => boolean,
): Rule<Value> {
  // The test accepts values of this type only.
  return { expected, read: (given) => (accepts(given) ? (given as Value) : undefined) };
}

/** Rule of any value, which another function checks. */
export function anything<Value>(): Rule<Value> {
  return accepting("", () => true);
}

/** Rule of strings. */
export function string(): Rule<string> {
  return ofType("a string");
}

/** Rule of functions. */
export function func<Value>(): Rule<Value> {
  return ofType("a function");
}

function ofType<Value>(expected: string): Rule<Value> {
  return accepting(expected, (given) => expected.endsWith(` ${typeof given}`));
}

/** Rule of one of several values. */
export function oneOf<const Value>(...values: readonly Value[]): Rule<Value> {
  const shown = values.map(show);
  return accepting(shown.length > 2 ? `one of ${shown.join(", ")}` : shown.join(" or "), (given) =>
    values.some((value) => value === given),
  );
}

/** Rule of booleans. */
export function boolean(): Rule<boolean> {
  return oneOf(true, false);
}

/** Rule of numbers between two bounds. */
export function number(min: number, max = Infinity): Rule<number> {
  return accepting(`a number ${range(min, max)}`, isBetween(min, max));
}

/** Rule of whole numbers between two bounds. */
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
