// Times one comparison with guesses that are wrong in the first byte and in the last.
import { randomInt } from "node:crypto";

import { safeVerifySync } from "@tryon/webhooks/node";

import { createEvent, signEvent, webhookSecret } from "../candidates/fixtures.ts";
import { median } from "../statistics.ts";

type Compare = (one: Uint8Array, other: Uint8Array) => boolean;

/** Prepares a call, outside of the measured time, that returns true for a correct guess. */
type Prepare = (guess: Uint8Array) => () => boolean;

const body = createEvent(300);
export const digest = Buffer.from(signEvent(body).slice("sha256=".length), "hex");

// The package does not export its comparison.
const source = new URL("verification/signature.ts", import.meta.resolve("@tryon/webhooks"));
const { equalBytes } = (await import(source.href)) as { equalBytes: Compare };

/** Stops at the first difference: the control that the method must detect. */
function equalUntilDifference(one: Uint8Array, other: Uint8Array): boolean {
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return one.length === other.length;
}

function prepareWith(equal: Compare): Prepare {
  // All guesses share one buffer, so that only its content differs.
  const shared = new Uint8Array(digest.length);
  return (guess) => {
    shared.set(guess);
    return () => equal(digest, shared);
  };
}

const prepareVerification: Prepare = (guess) => {
  const signature = `sha256=${Buffer.from(guess).toString("hex")}`;
  const headers = { "x-service-signature": signature };
  return () => {
    const outcome = safeVerifySync({ body, headers, secrets: webhookSecret });
    if (outcome.ok || outcome.code === "signature_mismatch") return outcome.ok;
    throw new Error(outcome.message);
  };
};

export const comparisons: Readonly<Record<string, readonly [callsPerTime: number, Prepare]>> = {
  "@tryon/webhooks, comparison": [100, prepareWith(equalBytes)],
  "@tryon/webhooks, safeVerifySync": [4, prepareVerification],
  "control that stops at the first difference": [100, prepareWith(equalUntilDifference)],
};

/** Times wrong digests in random order, in nanoseconds per call: wrong in the first byte, the last, the first again. */
export function timeComparisons(calls: number, prepare: Prepare, samples: number, warmUps: number) {
  const places = [0, digest.length - 1, 0];
  const times: [number[], number[], number[]] = [[], [], []];
  for (let turn = -warmUps; turn < samples; turn += 1) {
    const chosen = randomInt(places.length);
    // Without a branch on the class, of which the processor would keep traces.
    const place = places[chosen] ?? 0;
    const compare = prepare(digest.with(place, (digest[place] ?? 0) ^ randomInt(1, 256)));
    let isEqual = false;
    const start = process.hrtime.bigint();
    for (let call = 0; call < calls; call += 1) isEqual ||= compare();
    const time = Number(process.hrtime.bigint() - start);
    if (isEqual) throw new Error("The comparison accepted a wrong digest.");
    if (turn >= 0) times[chosen]?.push(time / calls);
  }
  return times;
}

/** Computes the absolute value of Welch's t of two classes of times, without the slowest 10 % of both. */
export function welch(first: readonly number[], second: readonly number[]): number {
  const all = [...first, ...second].toSorted((a, b) => a - b);
  const bound = all[Math.ceil(0.9 * all.length) - 1] ?? Number.NaN;
  const describe = (samples: readonly number[]) => {
    const kept = samples.filter((sample) => sample <= bound);
    if (kept.length < 2) throw new RangeError("Each class needs two samples; measure more.");
    const mean = kept.reduce((sum, sample) => sum + sample, 0) / kept.length;
    const squares = kept.reduce((sum, sample) => sum + (sample - mean) ** 2, 0);
    return { mean, error: squares / (kept.length - 1) / kept.length };
  };
  const [one, other] = [describe(first), describe(second)];
  const difference = Math.abs(other.mean - one.mean);
  return difference === 0 ? 0 : difference / Math.sqrt(one.error + other.error);
}

if (import.meta.main) {
  const [name = "", samples = ""] = process.argv.slice(2);
  const measured = comparisons[name];
  if (measured === undefined) throw new RangeError(`Unknown comparison: ${name}.`);
  const [first, last, again] = timeComparisons(...measured, Number(samples), 5_000);
  const errors = { [name]: welch(first, last), [`${name}, same byte`]: welch(first, again) };
  process.stdout.write(JSON.stringify({ time: { [name]: median(first) }, errors }));
}
