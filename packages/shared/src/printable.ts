/** Characters that control a terminal, or that a page and XML must not have. */
const controls = /[^\P{C}\t\n\u200c\u200d]|[\u2028\u2029]/gu;

export function printable(text: string): string {
  return text.replaceAll(controls, (character) => {
    const point = character.codePointAt(0) ?? 0;
    const digits = point.toString(16);
    return point > 0xff_ff ? `\\u{${digits}}` : `\\u${digits.padStart(4, "0")}`;
  });
}
