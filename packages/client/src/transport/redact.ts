/** Makes what comes from elsewhere fit for an error: a short text, empty for what is none. */
export type Redact = (text: unknown) => string;

const longestText = 300;

/**
 * A text on one line, of bounded length, without keys and other secrets, without the signatures of addresses and without
 * anything that could be a piece of an image in base64: services repeat what they were sent.
 */
export function redactor(apiKey: string): Redact {
  return (text) => {
    const line = (typeof text === "string" ? text : "")
      .slice(0, 4_000)
      // An address may let its reader in: by its query, or by the user that it names.
      .replaceAll(/([\w/])[?#][^\s"'<>]*=[^\s"'<>]*/g, "$1?[…]")
      .replaceAll(/:\/\/[^\s/]*@/g, "://")
      // Clients of a proxy have none.
      .replaceAll(apiKey || "\0", "[API key]")
      .replaceAll(/(svc_live|svc_test|whsec|spt)_[\w-]+/g, "$1_[…]")
      .replaceAll(/[A-Za-z0-9+/]{80,}={0,2}/g, "[…]")
      .replaceAll(/\s+/g, " ")
      .trim();
    return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
  };
}
