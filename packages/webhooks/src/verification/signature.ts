import { WebhookError } from "../webhook-error.ts";

/** Pattern of the whole value. Without the `m` flag, `$` matches only at the end of the text. */
const grammar = /^sha256=[0-9a-fA-F]{64}$/;

export function formatSignature(digest: Uint8Array): string {
  let hex = "";
  for (const byte of digest) hex += byte.toString(16).padStart(2, "0");
  return `sha256=${hex}`;
}

/**
 * Parses the digest in the values of `X-Service-Signature`. Two headers are rejected, because a
 * proxy may have checked the other one.
 */
export function parseSignature(values: readonly unknown[]): Uint8Array {
  const [value] = values;
  if (value === undefined) {
    throw new WebhookError(
      "missing_signature",
      "X-Service-Signature is missing. Pass all headers as they arrived.",
    );
  }
  // A signature has no comma. Joined header lines have one.
  if (values.length > 1 || (typeof value === "string" && value.includes(","))) {
    throw new WebhookError(
      "multiple_signatures",
      "There is more than one X-Service-Signature header. Check for a proxy that adds one.",
    );
  }
  if (typeof value !== "string" || !grammar.test(value)) {
    throw new WebhookError(
      "malformed_signature",
      "X-Service-Signature is not `sha256=` and 64 hex digits. Pass all headers as they arrived.",
    );
  }
  return bytesOfHex(value.slice("sha256=".length));
}

export function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  let bits = 0;
  // Stryker disable next-line EqualityOperator: typed arrays ignore writes past their end.
  for (let at = 0; at < hex.length; at += 1) {
    const code = hex.charCodeAt(at);
    // The last four bits of `a` and `A` are 1, and only letters have the seventh bit.
    bits = (bits << 4) | ((code & 15) + 9 * (code >> 6));
    // A typed array keeps the last eight bits. They are complete after the second digit.
    bytes[at >> 1] = bits;
  }
  return bytes;
}

/**
 * Returns the index of the first digest that equals the signature. All digests are compared, so the
 * time reveals neither which bytes of a guess match nor which secret is in use.
 *
 * `crypto.subtle.verify` has no synchronous form, so both back ends use this comparison.
 */
export function matchingSecret(
  signature: Uint8Array,
  digests: ReadonlyArray<Uint8Array | undefined>,
): number {
  const matches = digests.map((digest) => digest !== undefined && equalBytes(digest, signature));
  const match = matches.indexOf(true);
  if (match !== -1) return match;
  throw new WebhookError(
    "signature_mismatch",
    "No secret matches the signature. Check the secret, and pass `body` as it arrived.",
  );
}

/** Compares in constant time: one step per byte, without a branch that depends on the bytes. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at += 1) difference |= (one[at] ?? 0) ^ (other[at] ?? 256);
  return difference === 0;
}
