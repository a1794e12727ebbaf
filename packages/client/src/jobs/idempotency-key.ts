import { InputError } from "../errors/input-error.ts";
import { randomKey } from "../http/random-key.ts";

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
