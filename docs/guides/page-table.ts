/** The rows of the table of a page that begins with these headings, cell by cell. */
export function tableOf(page: string, ...headings: readonly string[]): readonly string[][] {
  const lines = page.split("\n");
  const isHead = (line: string): boolean =>
    line.startsWith("|") && headings.every((heading, index) => cellsOf(line)[index] === heading);
  const head = lines.findIndex(isHead);
  if (head === -1) throw new Error(`There is no table with the headings ${headings.join(", ")}.`);
  const body = lines.slice(head + 2);
  const end = body.findIndex((line) => !line.startsWith("|"));
  return body.slice(0, end === -1 ? undefined : end).map(cellsOf);
}

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}
