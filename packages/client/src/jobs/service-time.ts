/** How far the clocks of client and service may be apart, in milliseconds. */
export const maxClockSkew = 3_600_000;

/** A time of the service in milliseconds since 1970, NaN when there is none. A time without a zone is UTC. */
export function serviceTime(text: string | null | undefined): number {
  return Date.parse(String(text).replace(/T[^Z+-]*$/, "$&Z"));
}
