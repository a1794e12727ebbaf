/** Formats a time in UTC to the second, for JSON: `2026-01-01T00:00:00Z`, with the zone in one of three forms. */
export function formatTime(at: number, format: "Z" | "offset" | "naive"): string {
  const zones = { Z: "Z", offset: "+00:00", naive: "" };
  return new Date(at).toISOString().slice(0, 19) + zones[format];
}

/** Formats a time for an HTTP header: `Thu, 01 Jan 2026 00:00:00 GMT` (RFC 9110). */
export function httpDate(at: number): string {
  return new Date(at).toUTCString();
}
