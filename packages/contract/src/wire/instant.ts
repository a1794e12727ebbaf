const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

/** An ISO 8601 time in milliseconds since 1970, or undefined for what is none; one without a zone counts as UTC. */
export function instantOf(text: unknown): number | undefined {
  const match = typeof text === "string" ? iso.exec(text) : null;
  if (match === null) return undefined;
  const instant = Date.parse(match[2] === undefined ? `${match[0]}Z` : match[0]);
  return Number.isNaN(instant) ? undefined : instant;
}

/** When an answer was given, by its own `Date`. */
export function dateOf({ headers }: { readonly headers: Headers }): number | undefined {
  const instant = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(instant) ? undefined : instant;
}
