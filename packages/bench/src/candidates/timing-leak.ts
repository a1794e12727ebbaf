import { randomInt } from "node:crypto";

import { safeVerifySync } from "@tryon/webhooks/node";

import { createEvent, deliveryHeaders, signEvent, webhookSecret } from "./fixtures.ts";

type Compare = (one: Uint8Array, other: Uint8Array) => boolean;

/** Compares a wrong digest repeatedly; `prepare` runs outside of the measured time. */
interface Comparison {
  readonly calls: number;
  readonly prepare: (wrong: Uint8Array) => () => void;
}

const body = createEvent(300);
/** Correct digest. */
export const digest = Buffer.from(signEvent(body).slice("sha256=".length), "hex");

// The package does not export its comparison.
const source = new URL("verification/equal-bytes.ts", import.meta.resolve("@tryon/webhooks"));
const { equalBytes } = (await import(source.href)) as { equalBytes: Compare };

/** Stops at the first difference: the control that the method must detect. */
function equalUntilDifference(one: Uint8Array, other: Uint8Array): boolean {
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return one.length === other.length;
}

function comparison(equal: Compare): Comparison {
  // All guesses share one buffer, so that only its content differs.
  const guess = new Uint8Array(digest.length);
  return {
    calls: 100,
    prepare: (wrong) => {
      guess.set(wrong);
      return () => {
        for (let call = 0; call < 100; call += 1) {
          if (equal(digest, guess)) throw new Error("The comparison accepted a wrong digest.");
        }
      };
    },
  };
}

export const comparisons: Readonly<Record<string, Comparison>> = {
  "@tryon/webhooks, comparison": comparison(equalBytes),
  "@tryon/webhooks, safeVerifySync": {
    calls: 4,
    prepare: (wrong) => {
      const signature = `sha256=${Buffer.from(wrong).toString("hex")}`;
      const headers = deliveryHeaders(body, { "x-service-signature": signature });
      return () => {
        for (let call = 0; call < 4; call += 1) {
          const outcome = safeVerifySync({ body, headers, secrets: webhookSecret });
          if (!outcome.ok && outcome.code === "signature_mismatch") continue;
          throw new Error("The verification reported no mismatch.");
        }
      };
    },
  },
  "control that stops at the first difference": comparison(equalUntilDifference),
};

/** Times wrong digests in random order, in nanoseconds per call: wrong in the first byte, the last, the first again. */
export function timeGuesses({ calls, prepare }: Comparison, samples: number, warmUps: number) {
  const places = [0, digest.length - 1, 0] as const;
  const times: [number[], number[], number[]] = [[], [], []];
  for (let turn = -warmUps; turn < samples; turn += 1) {
    const chosen = randomInt(places.length);
    const place = places[chosen] ?? 0;
    const wrong = Uint8Array.from(digest);
    wrong[place] = (wrong[place] ?? 0) ^ randomInt(1, 256);
    const guess = prepare(wrong);
    const start = process.hrtime.bigint();
    guess();
    const time = Number(process.hrtime.bigint() - start);
    if (turn >= 0) times[chosen]?.push(time / calls);
  }
  return times;
}

/** Compares two classes of times without the slowest 10 % of both: ratio of the means, and Welch's t. */
export function welch(first: readonly number[], second: readonly number[]) {
  const all = [...first, ...second].toSorted((a, b) => a - b);
  const bound = all[Math.ceil(0.9 * all.length) - 1] ?? Number.NaN;
  const [one, other] = [first, second].map((samples) => {
    const kept = samples.filter((sample) => sample <= bound);
    if (kept.length < 2) throw new RangeError("Each class needs two samples; measure more.");
    const mean = kept.reduce((sum, sample) => sum + sample, 0) / kept.length;
    const squares = kept.reduce((sum, sample) => sum + (sample - mean) ** 2, 0);
    return { mean, error: squares / (kept.length - 1) / kept.length };
  });
  // Both classes have been mapped.
  if (one === undefined || other === undefined) throw new RangeError("There are no two classes.");
  const difference = other.mean - one.mean;
  const t = difference === 0 ? 0 : difference / Math.sqrt(one.error + other.error);
  return { ratio: other.mean / one.mean, t };
}
