/** Formats a time to the second and in UTC: `2026-01-01T00:00:00`. */
export function isoSeconds(at: number): string {
  return new Date(at).toISOString().slice(0, 19);
}

/** Formats a time for an HTTP header: `Thu, 01 Jan 2026 00:00:00 GMT` (RFC 9110). */
export function httpDate(at: number): string {
  return new Date(at).toUTCString();
}
