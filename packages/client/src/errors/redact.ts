/** Makes what comes from elsewhere fit for an error: a short text, empty for what is none. */
export type Redact = (text: unknown) => string;

const longestText = 300;

/**
 * A text on one line, of bounded length, without keys and other secrets, without the signatures of addresses and without
 * anything that could be a piece of an image in base64: services repeat what they were sent.
 */
export function redactor(apiKey: string): Redact {
  const key = keyPattern(apiKey);
  return (text) => {
    const line = (typeof text === "string" ? text : "")
      .slice(0, 4_000)
      // An address may let its reader in: by its query, or by the user that it names.
      .replaceAll(/([\w/])[?#][^\s"'<>]*=[^\s"'<>]*/g, "$1?[…]")
      .replaceAll(/\/\/[^\s/]*@/g, "//")
      .replaceAll(key, "[API key]")
      .replaceAll(/(whsec|spt)_[\w-]+/gi, "$1_[…]")
      .replaceAll(/[A-Za-z0-9+/]{80,}={0,2}/g, "[…]")
      .replaceAll(/\s+/g, " ")
      .trim();
    return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
  };
}

/** Matches a key, or what begins like one, in each of its forms. */
function keyPattern(apiKey: string): RegExp {
  // Clients of a proxy have no key.
  const texts = [apiKey, "svc_live_", "svc_test_"].filter(Boolean);
  return new RegExp(`(?:${texts.flatMap(formsOf).join("|")})[\\w%+/-]*`, "gi");
}

/** Patterns for a text as it is, in hex, and in base64 after 0 to 2 other bytes. */
function formsOf(text: string): string[] {
  const base64 = [0, 1, 2].map((before) =>
    // Only the characters that no other byte is part of.
    btoa(" ".repeat(before) + text).slice(before && before + 1, ((before + text.length) * 4) / 3),
  );
  // Shorter ones also match other text.
  const encoded = [text.replaceAll(/./g, hexOf), ...base64].filter(({ length }) => length > 7);
  return [text, ...encoded].map((form) => form.replaceAll(/./g, anyForm));
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16);
}

/** Matches a character as it is, percent-encoded any number of times, and as base64url writes it. */
function anyForm(character: string): string {
  const code = hexOf(character);
  return `(?:\\x${code}|%(?:25)*${code}${/[+/]/.test(character) ? "|[_-]" : ""})`;
}
