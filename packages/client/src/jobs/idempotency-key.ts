import { InputError } from "../errors/input-error.ts";

const longestKey = 200;

/** The caller's own key, checked, or a new random one. */
export function idempotencyKey(own: string | undefined): string {
  if (own === undefined) return randomKey();
  // Header values lose blanks at their ends and cannot hold other characters.
  if (own.length <= longestKey && /^[\u0021-\u007E]([\u0020-\u007E]*[\u0021-\u007E])?$/.test(own))
    return own;
  throw new InputError(
    "idempotencyKey",
    `is not 1 to ${longestKey} printable ASCII characters without blanks at its ends`,
    { bound: longestKey },
  );
}

/** A UUID of version 4 with 120 random bits. `crypto.randomUUID` is missing on pages that were loaded over http. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    (byte + 256).toString(16).slice(1),
  )
    .join("")
    .replace(/(.{8})(.{4}).(.{3})..(..)/, "$1-$2-4$3-8a$4-");
}
