/**
 * The words of a text, for the index and for what is asked: `content_blocked` is one word and also two, and so is
 * `createReceiver`.
 */
export function wordsOf(text: string): string[] {
  return wholeWordsOf(text).flatMap((whole) => {
    const parts = whole.split(/_+|(?<=\p{Ll})(?=\p{Lu})/u).filter((part) => part !== "");
    return parts.length > 1 ? [whole, ...parts] : [whole];
  });
}

/** The words of a text as they are written. */
export function wholeWordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+/gu) ?? [];
}
