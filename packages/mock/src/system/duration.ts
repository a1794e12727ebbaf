import { duration, readValue } from "@tryon/shared/options";

/** A number of milliseconds, or a string such as `"1500ms"`, `"21s"`, `"90m"`, `"24h"`, `"30d"`. */
export type Duration = number | string;

const rule = { ...duration(0), isRequired: true };

export function milliseconds(given: Duration, name = "duration"): number {
  return readValue(name, given, rule) ?? 0;
}
