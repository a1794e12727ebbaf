export function unknownName(
  given: object,
  known: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly hint: string } | undefined {
  const names = Object.keys(known);
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && !names.includes(name)) return { name, hint: hintFor(name, names) };
  }
  return undefined;
}

export function hintFor(name: string, known: readonly string[]): string {
  const likely = likelyName(name, known);
  return likely ? `Did you mean ${likely}?` : `Use one of: ${known.join(", ")}.`;
}

/** Returns the known name that an unknown one begins, or else the most similar one that has its initial or ends it. */
export function likelyName(name: string, known: readonly string[]): string | undefined {
  const given = letters(name.slice(0, 40));
  let likely: string | undefined;
  // A third of the letters may differ.
  let bound = Math.floor(given.length / 3) + 1;
  for (const candidate of known) {
    const target = letters(candidate);
    const changed = target.startsWith(given) ? 1 : distance(given, target);
    if (changed >= bound || !(given[0] === target[0] || given.endsWith(target))) continue;
    likely = candidate;
    bound = changed;
  }
  return likely;
}

/** Letters and digits in lower case, so that `baseURL` and `base_url` are alike. */
function letters(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Number of letters to insert, delete or replace. Their order does not count, since typos often swap two. */
function distance(one: string, other: string): number {
  let rest = other;
  for (const letter of one) rest = rest.replace(letter, "");
  return Math.max(one.length, other.length) - (other.length - rest.length);
}
