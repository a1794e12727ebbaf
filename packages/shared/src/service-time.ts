/** Returns a time of the service in milliseconds since 1970, or `NaN` without one. A time without a zone is UTC. */
export function serviceTime(time: string | null | undefined): number {
  return Date.parse(/(z|[+-]\d\d:?\d\d)$/i.test(`${time}`) ? `${time}` : `${time}Z`);
}
