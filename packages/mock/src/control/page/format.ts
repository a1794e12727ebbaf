const units = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
] as const;

/** `2026-01-01 00:00:12.500`, in UTC. */
export function dateTime(at: number): string {
  return new Date(at).toISOString().replace("T", " ").replace("Z", "");
}

export function timeOfDay(at: number): string {
  return dateTime(at).slice(11);
}

/** `350 ms`, `1.5 s`, `2.1 min`, `3.3 h`, `2.2 d`. */
export function duration(length: number): string {
  const [unit, name] = units.find(([each]) => length >= each) ?? [1, "ms"];
  return `${Number((length / unit).toFixed(unit === 1 ? 0 : 1))} ${name}`;
}

/** `now`, `12 s ago`, `in 4 s`. */
export function fromNow(at: number, now: number): string {
  const length = Math.round(Math.abs(now - at) / 1_000) * 1_000;
  if (length === 0) return "now";
  return at > now ? `in ${duration(length)}` : `${duration(length)} ago`;
}

export function amount(value: number): string {
  return value.toLocaleString("en-US");
}

export function counted(count: number, noun: string): string {
  return `${amount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function joinTexts(separator: string, ...texts: readonly (string | false)[]): string {
  return texts.filter(Boolean).join(separator);
}
