/** Makes a text from elsewhere fit for an error. */
export type Redact = (text: string) => string;

const longestText = 300;

/**
 * A text on one line, of bounded length, without the API key and without anything that could be a piece of an image in
 * base64: services repeat what they were sent.
 */
export function redactor(apiKey: string): Redact {
  return (text) => {
    const line = text
      .slice(0, 4_000)
      .replaceAll(apiKey, "[API key]")
      .replaceAll(/\bsvc_(live|test)_[\w-]+/g, "svc_$1_[…]")
      .replaceAll(/[A-Za-z0-9+/]{80,}={0,2}/g, "[…]")
      .replaceAll(/\s+/g, " ")
      .trim();
    return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
  };
}
