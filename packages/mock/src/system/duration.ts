const unitMilliseconds: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A number of milliseconds, or a string such as `"1500ms"`, `"21s"`, `"90m"`, `"24h"`, `"30d"`. */
export type Duration = number | string;

/** @throws RangeError when it is negative, not finite, or not a number followed by ms, s, m, h or d. */
export function milliseconds(duration: Duration): number {
  if (typeof duration === "number") {
    if (Number.isFinite(duration) && duration >= 0) return duration;
    throw new RangeError(
      `A duration must be a finite number of milliseconds from 0 up; got ${duration}.`,
    );
  }
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration);
  const unit = match?.[2] === undefined ? undefined : unitMilliseconds[match[2]];
  if (match?.[1] === undefined || unit === undefined) {
    throw new RangeError(
      `A duration is a number of milliseconds or a string such as "500ms", "21s", "3m", "24h" or "30d"; got ${JSON.stringify(duration)}.`,
    );
  }
  return Number(match[1]) * unit;
}
