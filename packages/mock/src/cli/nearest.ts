/** How many letters may be wrong before a word counts as another one. */
const mostMistakes = 2;

/** The known word that somebody who typed `word` most likely meant, or undefined when none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, mistakes: mistakesBetween(word, candidate) }))
    .toSorted((a, b) => a.mistakes - b.mistakes);
  const [best] = ranked;
  if (best !== undefined && best.mistakes <= mostMistakes) return best.candidate;
  return word.length < 3 ? undefined : known.find((candidate) => candidate.startsWith(word));
}

/** How many letters have to be put in, left out or replaced to make one word of the other (Levenshtein). */
function mistakesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let index = 1; index <= from.length; index += 1) {
    const next = [index];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (from[index - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
