import type { Options } from "../options.ts";

/** Writes a time to the second, UTC, in the format that the server is set to. */
export function formatTime(at: number, format: Options["timeFormat"]): string {
  const naive = new Date(at).toISOString().slice(0, 19);
  if (format === "naive") return naive;
  return format === "offset" ? `${naive}+00:00` : `${naive}Z`;
}
