const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000] as const;

const units = [
  [day, "d"],
  [hour, "h"],
  [minute, "min"],
  [second, "s"],
] as const;

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
  if (length < minute) return `${decimals(length / second)} s`;
  return inUnits(length, 2);
}

/** `now`, `12 s ago`, `in 4 s`. */
export function fromNow(at: number, now: number): string {
  const exact = Math.abs(now - at);
  if (exact < 500) return "now";
  const length = exact < minute ? Math.max(second, roundTo(exact, second)) : exact;
  return at > now ? `in ${duration(length)}` : `${inUnits(length, 1)} ago`;
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
  return count < 1_000_000 ? `${decimals(count / 1e3)} kB` : `${decimals(count / 1e6)} MB`;
}

/** `1 attempt`, `2 attempts`. */
export function counted(count: number, noun: string): string {
  return `${amount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Joins the texts that are not empty or false. */
export function joinTexts(separator: string, ...texts: readonly (string | false)[]): string {
  return texts.filter(Boolean).join(separator);
}

/** Returns a length in its largest unit and, of `count` units, the smaller ones that are not 0. */
function inUnits(length: number, count: number): string {
  const largest = units.findIndex(([unit]) => length >= unit);
  let rest = length;
  const parts = units.slice(largest, largest + count).map(([unit, name]) => {
    const whole = Math.floor(rest / unit);
    rest -= whole * unit;
    return whole > 0 && `${whole} ${name}`;
  });
  return joinTexts(" ", ...parts);
}

function roundTo(value: number, unit: number): number {
  return Math.round(value / unit) * unit;
}

function decimals(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1).replace(/\.?0+$/, "");
}
