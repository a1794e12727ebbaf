import type { Duration } from "../types/call-options.ts";
import { InputError } from "../errors/refusal-errors.ts";

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
