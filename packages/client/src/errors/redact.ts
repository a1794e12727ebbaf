export type Redact = (text: unknown) => string;

const maxText = 300;

/**
 * Redacts text, since services repeat what they received. Removes secrets, the queries of URLs and anything that may be base64
 * of an image, and limits the length.
 *
 * @param key - Pattern of the API key. A client that never has one needs none.
 */
export function redactText(text: unknown, key?: RegExp): string {
  let line = (typeof text === "string" ? text : "")
    .slice(0, 4_000)
    // The query or the user of a URL may give access.
    .replaceAll(/([\w/])[?#][^\s"'<>]*=[^\s"'<>]*/g, "$1?[…]")
    .replaceAll(/\/\/[^\s/]*@/g, "//");
  if (key) line = line.replaceAll(key, "[API key]");
  line = line
    .replaceAll(/(whsec|spt)_[\w-]+/gi, "$1_[…]")
    .replaceAll(/[A-Za-z0-9+/]{80,}={0,2}/g, "[…]")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > maxText ? `${line.slice(0, maxText)}…` : line;
}

/** Creates a function that also redacts an API key, in every form in which a service may repeat it. */
export function redactor(apiKey: string): Redact {
  const key = keyPattern(apiKey);
  return (text) => redactText(text, key);
}

function keyPattern(apiKey: string): RegExp {
  // A client of a proxy has no key.
  const texts = [apiKey, "svc_live_", "svc_test_"].filter(Boolean);
  return new RegExp(`(?:${texts.flatMap(formsOf).join("|")})[\\w%+/-]*`, "gi");
}

/** Returns patterns of a text as it is, in hex, and in base64 after 0 to 2 other bytes. */
function formsOf(text: string): string[] {
  const base64 = [0, 1, 2].map((before) =>
    // Only the characters that encode no other byte.
    btoa(" ".repeat(before) + text).slice(before && before + 1, ((before + text.length) * 4) / 3),
  );
  // Shorter ones also match other text.
  const encoded = [text.replaceAll(/./g, hexOf), ...base64].filter(({ length }) => length > 7);
  return [text, ...encoded].map((form) => form.replaceAll(/./g, anyForm));
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16);
}

/** Matches a character as it is, percent-encoded any number of times, or in base64url. */
function anyForm(character: string): string {
  const code = hexOf(character);
  return `(?:\\x${code}|%(?:25)*${code}${/[+/]/.test(character) ? "|[_-]" : ""})`;
}
