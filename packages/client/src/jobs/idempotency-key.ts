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

/** A UUID of version 4. `crypto.randomUUID` is missing on pages that were loaded over http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte, index) => {
    if (index === 6) return 0x40 | (byte & 0x0f);
    return index === 8 ? 0x80 | (byte & 0x3f) : byte;
  }).map((byte) => byte.toString(16).padStart(2, "0"));
  return hex.join("").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
