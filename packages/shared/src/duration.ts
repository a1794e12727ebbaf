/** Duration: a number of milliseconds, or a string of a number and its unit, `ms`, `s`, `m`, `h` or `d`. */
export type Duration = number | string;

const units: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 6e4, h: 36e5, d: 864e5 };

/** Returns a duration in milliseconds, and `NaN` for a string that is none. */
export function readDuration(time: Duration): number {
  if (typeof time === "number") return time;
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|[smhd])$/.exec(time) ?? [];
  return Number(amount) * (units[unit] ?? 0);
}
