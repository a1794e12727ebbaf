import { equalBytes } from "./equal-bytes.ts";
import { WebhookError } from "../webhook-error.ts";

/** The whole value: without the `m` flag, `$` is the end of the text and no line break before it. */
const grammar = /^sha256=[0-9a-fA-F]{64}$/;

/** Writes a digest as the service writes it into `X-Service-Signature`. */
export function formatSignature(digest: Uint8Array): string {
  let hex = "";
  for (const byte of digest) hex += byte.toString(16).padStart(2, "0");
  return `sha256=${hex}`;
}

/**
 * Reads the digest out of the values of `X-Service-Signature`. Two headers are refused and not
 * chosen from: whichever is taken, something between sender and receiver may have taken the other.
 */
export function parseSignature(values: readonly unknown[]): Uint8Array {
  const [value] = values;
  if (value === undefined) {
    throw new WebhookError(
      "missing_signature",
      "There is no X-Service-Signature header. Pass all headers as they arrived.",
    );
  }
  // A signature holds no comma: one can only come from header lines that were joined.
  if (values.length > 1 || (typeof value === "string" && value.includes(","))) {
    throw new WebhookError(
      "multiple_signatures",
      "There is more than one X-Service-Signature header. Look for a proxy that adds one.",
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

/** Reads hex digits, of either case, that are known to be nothing else. */
export function bytesOfHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  let bits = 0;
  // Stryker disable next-line EqualityOperator: typed arrays ignore writes past their end.
  for (let at = 0; at < hex.length; at += 1) {
    const code = hex.charCodeAt(at);
    // Of `a` and `A` the last four bits are 1, and only letters have the seventh.
    bits = (bits << 4) | ((code & 15) + 9 * (code >> 6));
    // Keeps the last eight bits, which are right once the second digit of a pair is read.
    bytes[at >> 1] = bits;
  }
  return bytes;
}

/**
 * The position of the first digest that equals the signature. All are compared, whichever fits, so
 * the time taken tells neither how far a guess was right nor which secret is in use.
 *
 * Compared here, and not by `crypto.subtle.verify`, since a synchronous back end has only digests
 * to offer: one comparison serves both, and it is in sight.
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
    "No secret fits the signature. Check the secret, and pass `body` as it arrived.",
  );
}
