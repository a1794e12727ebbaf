import { printable } from "@tryon/shared/printable";

export function printableLine(text: string): string {
  return printable(text).replaceAll(/\s+/g, " ").trim();
}

const entities = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);

/** Also escapes the text for HTML and XML. An attribute needs double quotes around it. */
export function escaped(text: string): string {
  return printable(text).replaceAll(/[&<>"]/g, (character) => entities.get(character) ?? "");
}
