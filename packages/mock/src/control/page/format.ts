const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000] as const;

/** `2026-01-01 00:00:12.500`, in UTC. */
export function dateTime(at: number): string {
  return new Date(at).toISOString().replace("T", " ").replace("Z", "");
}

/** `00:00:12.500`, in UTC. */
export function timeOfDay(at: number): string {
  return dateTime(at).slice(11);
}

/** `350 ms`, `1.5 s`, `2 min 5 s`, `3 h 20 min`, `2 d 4 h`. */
export function duration(exact: number): string {
  const length = roundTo(exact, exact < second ? 1 : exact < 10 * second ? 10 : 100);
  if (length < second) return `${length} ms`;
  if (length < minute) return `${trimmed(length / second)} s`;
  if (length < hour) return pair(length, [minute, "min"], [second, "s"]);
  if (length < day) return pair(length, [hour, "h"], [minute, "min"]);
  return pair(length, [day, "d"], [hour, "h"]);
}

/** `now`, `12 s ago`, `in 4 s`. */
export function fromNow(at: number, now: number): string {
  const length = Math.abs(now - at);
  if (length < 500) return "now";
  const rough = length < minute ? Math.max(second, roundTo(length, second)) : length;
  return at > now ? `in ${duration(rough)}` : `${coarse(rough)} ago`;
}

/** `1,000`. */
export function amount(value: number): string {
  return value.toLocaleString("en-US");
}

/** `+1,000` or `−8`. */
export function change(value: number): string {
  return `${value < 0 ? "−" : "+"}${amount(Math.abs(value))}`;
}

/** `12 kB`, `1.4 MB`. */
export function bytes(count: number): string {
  if (count < 1_000) return `${count} bytes`;
  return count < 1_000_000 ? `${trimmed(count / 1_000)} kB` : `${trimmed(count / 1_000_000)} MB`;
}

/** `1 attempt`, `2 attempts`. */
export function counted(count: number, noun: string): string {
  return `${amount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Joins the texts that are not empty or false. */
export function joinTexts(separator: string, ...texts: readonly (string | false)[]): string {
  return texts.filter(Boolean).join(separator);
}

function roundTo(value: number, unit: number): number {
  return Math.round(value / unit) * unit;
}

function coarse(length: number): string {
  for (const [unit, name] of [
    [day, "d"],
    [hour, "h"],
    [minute, "min"],
  ] as const) {
    if (length >= unit) return `${Math.floor(length / unit)} ${name}`;
  }
  return duration(length);
}

function pair(
  length: number,
  [large, largeName]: readonly [number, string],
  [small, smallName]: readonly [number, string],
): string {
  const whole = Math.floor(length / large);
  const rest = Math.floor((length % large) / small);
  return rest === 0 ? `${whole} ${largeName}` : `${whole} ${largeName} ${rest} ${smallName}`;
}

function trimmed(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1).replace(/\.?0+$/, "");
}
