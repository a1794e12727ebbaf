/** Returns the first unknown name of an object, and a hint with the most likely known name. */
export function unknownName(
  given: object,
  known: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly hint: string } | undefined {
  const entries = Object.entries(given);
  const name = entries.find(
    ([key, value]) => value !== undefined && !Object.hasOwn(known, key),
  )?.[0];
  if (name === undefined) return undefined;
  const likely = likelyName(name, known);
  return { name, hint: likely ? `Did you mean ${likely}?` : "Remove it." };
}

/** Returns the known name that is most similar to an unknown one, if any is similar enough. */
export function likelyName(
  name: string,
  known: Readonly<Record<string, unknown>>,
): string | undefined {
  const given = plain(name.slice(0, 40));
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of Object.keys(known)) {
    const target = plain(candidate);
    const distance = given.length > 4 && given.endsWith(target) ? 1 : editDistance(given, target);
    if (distance <= target.length / 3 && distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** Returns the number of characters to insert, delete or replace to turn one text into the other (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 0; i < one.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j += 1) {
      const replaced = (row[j] ?? 0) + Number(one[i] !== other[j]);
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
