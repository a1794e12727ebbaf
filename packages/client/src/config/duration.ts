import type { Duration } from "../types/call-options.ts";
import { InputError } from "../errors/refusal-errors.ts";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5 };

/** A duration in milliseconds; `Infinity` is one. Throws `invalid_input` under the name of its option. */
export function milliseconds(duration: Duration, option: string): number {
  const value = readDuration(duration);
  if (value > 0) return value;
  throw new InputError(option, "is not a length of time", {
    hint: 'Give milliseconds above 0, or a text such as "30s" or "3m".',
  });
}

/** The same of whatever is given for one: not above 0 where it is none. */
export function readDuration(duration: number | string): number {
  if (typeof duration === "number") return duration;
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|[smhd])$/.exec(duration) ?? [];
  return Number(amount) * (units[unit] ?? 0);
}
