const mostMistakes = 2;

/** The known word that was most likely meant, or nothing where none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = mostMistakes + 1;
  for (const candidate of known) {
    const mistakes = mistakesBetween(word, candidate);
    if (mistakes < fewest) [best, fewest] = [candidate, mistakes];
  }
  return best ?? (word.length < 3 ? undefined : known.find((one) => one.startsWith(word)));
}

/** How many letters have to be put in, left out or replaced (Levenshtein). */
function mistakesBetween(from: string, to: string): number {
  let costs = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [row, letter] of Array.from(from).entries()) {
    const next = [row + 1];
    for (const [column, other] of Array.from(to).entries()) {
      const replaced = (costs[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (costs[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    costs = next;
  }
  return costs.at(-1) ?? 0;
}
