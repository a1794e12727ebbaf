/**
 * Returns true if a program printed the output on a page. `…` matches any text within a line, and a line of only `…`
 * matches any number of lines.
 */
export function isOutput(shown: string, printed: string): boolean {
  const pattern = shown
    .trimEnd()
    .split("\n")
    .map((line) => (line.trim() === "…" ? "(?:.*\\n)*" : `${patternOf(line.trimEnd())}\\n`))
    .join("");
  const lines = printed.trimEnd().split("\n");
  return new RegExp(`^${pattern}$`).test(lines.map((line) => `${line.trimEnd()}\n`).join(""));
}

function patternOf(line: string): string {
  return line
    .split("…")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join(".*");
}
