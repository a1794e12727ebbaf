/** Escapes the characters in a text that control a terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character === "\n" || character === "\t" ? character : escaped(character),
  );
}

/** Escapes a character as JSON does, so that JSON stays valid. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
