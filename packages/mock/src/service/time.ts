import type { Options } from "../options.ts";
import { isoSeconds } from "../system/date.ts";

/** Writes a time to the second, UTC, in the format that the server is set to. */
export function formatTime(at: number, format: Options["timeFormat"]): string {
  const naive = isoSeconds(at);
  if (format === "naive") return naive;
  return format === "offset" ? `${naive}+00:00` : `${naive}Z`;
}
