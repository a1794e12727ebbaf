/** The known word that somebody who typed `word` most likely meant, or undefined when none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const begun = word.length > 2 ? known.find((candidate) => candidate.startsWith(word)) : undefined;
  if (begun !== undefined) return begun;
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(word, candidate);
    // Half of the letters may be wrong, or it is another word.
    if (distance * 2 > candidate.length || distance >= (best?.distance ?? Infinity)) continue;
    best = { candidate, distance };
  }
  return best?.candidate;
}

/** How many letters have to be added, dropped, replaced, or exchanged with their neighbour, to make one word of the other. */
function editDistance(from: string, to: string): number {
  const table = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => table[row]?.[column] ?? Infinity;
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row];
    table.push(line);
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      line.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (same ? 0 : 1),
          swapped ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(from.length, to.length);
}
