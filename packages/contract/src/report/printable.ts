/** Characters that would steer a terminal or have no place in a page or in XML. */
const controls = /[^\P{C}\t\n\u200c\u200d]/gu;

/** The text with characters that nobody can see written out, such as `\u001b`: a deployment may say anything. */
export function printable(text: string): string {
  return text.replaceAll(controls, (character) => {
    const point = character.codePointAt(0) ?? 0;
    const digits = point.toString(16);
    return point > 0xff_ff ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`;
  });
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll(/\s+/g, " ").trim();
}
