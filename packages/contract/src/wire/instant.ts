const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

/** Parses an ISO 8601 time to milliseconds since 1970. A time without a zone is UTC. */
export function instantOf(text: unknown): number | undefined {
  const match = typeof text === "string" ? iso.exec(text) : null;
  if (match === null) return undefined;
  const instant = Date.parse(match[2] === undefined ? `${match[0]}Z` : match[0]);
  return Number.isNaN(instant) ? undefined : instant;
}
