import { createHmac } from "node:crypto";

import { safeVerifySync } from "@tryon/webhooks/node";

// Not exported by the package, since it is of no use to anybody but verification itself.
import { equalBytes } from "@tryon/webhooks/verification/equal-bytes";
import { eventOf, headersOf, secret } from "./delivery.ts";

/** Makes ready what compares one wrong digest; that which is given then does it so many times over. */
export interface Guesser {
  readonly calls: number;
  prepare(wrong: Uint8Array): () => void;
}

const body = eventOf(300);
/** What is right, and what every guess is nearly. */
export const digest = new Uint8Array(createHmac("sha256", secret).update(body).digest());

/** Stops at the first byte that differs: what must not be done, and what the method has to see. */
function equalUntilNot(one: Uint8Array, other: Uint8Array): boolean {
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return one.length === other.length;
}

function comparing(equal: (one: Uint8Array, other: Uint8Array) => boolean): Guesser {
  const calls = 100;
  // The same memory for every guess, so that only what is in it differs.
  const guess = new Uint8Array(digest.length);
  return {
    calls,
    prepare: (wrong) => {
      guess.set(wrong);
      return () => {
        for (let done = 0; done < calls; done += 1) {
          if (equal(digest, guess)) throw new Error("A wrong digest was taken for the right one.");
        }
      };
    },
  };
}

/** All that is timed, by the name of the row. */
export const guessers = {
  "our comparison alone": comparing(equalBytes),
  "safeVerifySync as a whole": {
    calls: 4,
    prepare: (wrong) => {
      const signature = `sha256=${Buffer.from(wrong).toString("hex")}`;
      const headers = headersOf(body, { "x-service-signature": signature });
      return () => {
        for (let done = 0; done < 4; done += 1) {
          const outcome = safeVerifySync({ body, headers, secrets: secret });
          if (!outcome.ok && outcome.code === "signature_mismatch") continue;
          throw new Error("A wrong signature came to something else than a mismatch.");
        }
      };
    },
  },
  "a comparison that stops at the first difference": comparing(equalUntilNot),
} satisfies Readonly<Record<string, Guesser>>;
