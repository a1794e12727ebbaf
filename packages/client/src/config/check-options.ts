import { InputError } from "../errors/refusal-errors.ts";
import type { Duration } from "../types/call-options.ts";

/** Returns the first unknown name of an object, and a hint with the most likely known name. */
export function unknownName(
  given: object,
  known: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly hint: string } | undefined {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const likely = likelyName(name, known);
    return { name, hint: likely ? `Did you mean ${likely}?` : "Remove it." };
  }
  return undefined;
}

/** Returns the known name that is most similar to an unknown one, if any ends it or has its initial and similar letters. */
export function likelyName(
  name: string,
  known: Readonly<Record<string, unknown>>,
): string | undefined {
  const given = plain(name.slice(0, 40));
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of Object.keys(known)) {
    const target = plain(candidate);
    const isSuffix = given.length > 4 && given.endsWith(target);
    const distance = isSuffix ? 1 : difference(given, target);
    if ((isSuffix || given[0] === target[0]) && distance <= target.length / 3 && distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Returns the number of characters to insert, delete or replace for the same characters in any order. */
function difference(one: string, other: string): number {
  let left = other;
  for (const character of one) left = left.replace(character, "");
  const shared = other.length - left.length;
  return Math.max(one.length, other.length) - shared;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5 };

/** Returns a duration in milliseconds, which may be `Infinity`. Throws `invalid_input` with the name of its option. */
export function milliseconds(duration: Duration, option: string): number {
  const value = readDuration(duration);
  if (value > 0) return value;
  throw new InputError(
    option,
    'must be a positive number of milliseconds, or a string such as "30s" or "3m"',
  );
}

/** Returns a duration in milliseconds. Returns 0 or NaN for any other string. */
export function readDuration(duration: number | string): number {
  if (typeof duration === "number") return duration;
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|[smhd])$/.exec(duration) ?? [];
  return Number(amount) * (units[unit] ?? 0);
}
