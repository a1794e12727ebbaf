/** Joins the parts of a page that commands write. Parts without text are left out. */
export function pageOf(commands: readonly string[], ...parts: readonly string[]): string {
  const made = commands.map((command) => `\`${command}\``).join(" and ");
  const notice = `<!-- Made by ${made}. Changes made here are lost. -->`;
  return `${[notice, ...parts].filter((part) => part !== "").join("\n\n")}\n`;
}

const lineOf = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** Formats a table with headings, each with the line below it, such as `:-:`. */
export function tableOf(
  headings: Readonly<Record<string, string>>,
  rows: readonly (readonly string[])[],
): string {
  return [Object.keys(headings), Object.values(headings), ...rows].map(lineOf).join("\n");
}

/** Notes below a table, each with its number from 1. */
export class Notes {
  readonly #texts = new Set<string>();

  numberOf(text: string): number {
    return [...this.#texts.add(text)].indexOf(text) + 1;
  }

  list(): string {
    return [...this.#texts].map((text, index) => `${index + 1}. ${text}`).join("\n");
  }
}
