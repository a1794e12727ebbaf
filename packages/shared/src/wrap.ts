import { stripVTControlCharacters } from "node:util";

/**
 * Wraps lines at words, below the last column of the line. A command that is broken ends in a
 * backslash, so that it can be copied. Words that are too long, such as URLs, stay whole.
 */
export function wrap(text: string, width: number): string {
  return text.replaceAll(/.+/g, (line) => {
    if (lengthOf(line) <= width) return line;
    // Columns are two spaces apart.
    const [start] = /^.{0,38} {2}(?=\S)/.exec(line) ?? [""];
    const isCommand = /^ {2}(npx )?tryon/.test(line);
    const hanging = " ".repeat(lengthOf(start) + (isCommand ? 2 : 0));
    const end = isCommand ? " \\" : "";
    const lines: string[] = [];
    let current = start;
    let isEmpty = true;
    for (const word of line.slice(start.length).split(isCommand ? / (?=-)/ : " ")) {
      if (!isEmpty && lengthOf(`${current} ${word}${end}`) > width) {
        lines.push(current + end);
        [current, isEmpty] = [hanging, true];
      }
      current += isEmpty ? word : ` ${word}`;
      isEmpty = false;
    }
    return [...lines, current].join("\n");
  });
}

const lengthOf = (text: string): number => Array.from(stripVTControlCharacters(text)).length;
