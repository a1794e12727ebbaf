import { InputError } from "@tryon/client";
import { unknownName } from "@tryon/shared/known-names";

/** Description of the valid values of a field, and a function that accepts them. */
export type Check = readonly [expected: string, accepts: (this: void, value: unknown) => boolean];

export const anything: Check = ["", () => true];
export const text: Check = ["a string", (value) => typeof value === "string"];
export const amount: Check = [
  "a number from 0 up",
  (value) => typeof value === "number" && value >= 0,
];

export function oneOf(...values: readonly string[]): Check {
  return [`one of ${values.join(", ")}`, (value) => values.some((one) => one === value)];
}

/**
 * Checks the fields of an object of a test.
 *
 * @param kind Completes "is not a field of …".
 * @throws InputError for an unknown or invalid field.
 */
export function checkFields(
  kind: string,
  given: object,
  checks: Readonly<Record<string, Check>>,
): void {
  const unknown = unknownName(given, checks);
  if (unknown) {
    throw new InputError(unknown.name, `is not a field of ${kind}`, { hint: unknown.hint });
  }
  for (const [name, [expected, accepts]] of Object.entries(checks)) {
    const value: unknown = Reflect.get(given, name);
    if (value !== undefined && !accepts(value)) {
      throw new InputError(name, `must be ${expected}`);
    }
  }
}
