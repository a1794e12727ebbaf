import { InputError } from "../errors/refusal-errors.ts";

const maxKeyLength = 200;

/** Returns the caller's key if it is valid, or a random key if there is none. */
export function idempotencyKey(key: string | undefined): string {
  if (key === undefined) return randomKey();
  // HTTP trims header values and allows no other characters.
  if (key.length <= maxKeyLength && /^[!-~]([ -~]*[!-~])?$/.test(key)) return key;
  throw new InputError(
    "idempotencyKey",
    `is not 1 to ${maxKeyLength} printable ASCII characters without blanks at its ends`,
    { bound: maxKeyLength },
  );
}

/** Creates a UUID of version 4 with 120 random bits. `crypto.randomUUID` is missing on pages that were loaded over http. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    (byte + 256).toString(16).slice(1),
  )
    .join("")
    .replace(/(.{8})(.{4}).(.{3})..(..)/, "$1-$2-4$3-8a$4-");
}
