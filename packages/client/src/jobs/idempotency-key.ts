import { InputError } from "../errors/refusal-errors.ts";
import { randomKey } from "../http/random-key.ts";

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
