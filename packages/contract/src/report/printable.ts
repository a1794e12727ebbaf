/** Characters that control a terminal, or that a page and XML must not have. */
const controls = /[^\P{C}\t\n\u200c\u200d]/gu;

/** Replaces invisible characters, which a deployment may send, by escapes such as `\u001b`. */
export function printable(text: string): string {
  return text.replaceAll(controls, (character) => {
    const point = character.codePointAt(0) ?? 0;
    const digits = point.toString(16);
    return point > 0xff_ff ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`;
  });
}

/** Also puts the text on one line. */
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
