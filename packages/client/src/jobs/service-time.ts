/** Maximum difference between the clocks of client and service, in milliseconds. */
export const maxClockSkew = 3_600_000;

/** Returns a time of the service in milliseconds since 1970, or NaN without one. A time without a zone is UTC. */
export function serviceTime(text: string | null | undefined): number {
  return Date.parse(String(text).replace(/T[^Z+-]*$/, "$&Z"));
}
