import type { Options } from "../options.ts";
import { isoSeconds } from "../system/date.ts";

/** Formats a time in UTC to the second. */
export function formatTime(at: number, format: Options["timeFormat"]): string {
  const naive = isoSeconds(at);
  if (format === "naive") return naive;
  return format === "offset" ? `${naive}+00:00` : `${naive}Z`;
}
