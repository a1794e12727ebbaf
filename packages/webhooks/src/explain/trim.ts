/**
 * Takes characters off both ends of a text, or off its end alone. Regular expressions such as
 * `/\s+$/` start anew at every space of a long run that is not at the end, so that a text that a
 * sender has made for it takes hours.
 */
export function trimmed(text: string, isPadding: (character: string) => boolean): string {
  let start = 0;
  while (start < text.length && isPadding(text.charAt(start))) start += 1;
  return trimmedEnd(text.slice(start), isPadding);
}

export function trimmedEnd(text: string, isPadding: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isPadding(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
