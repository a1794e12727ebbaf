// Times one guesser with digests that are wrong in the first byte, in the last, and in the first once more, in random
// order, and prints how the second and the third differ from the first.
import { randomInt } from "node:crypto";

import { digest, guessers, type Guesser } from "../webhooks/guesses.ts";
import { differenceOf } from "../webhooks/welch.ts";

const [name = "", samples = ""] = process.argv.slice(2);
const warmUps = 5_000;
/** Of the times, those above this quantile are what disturbed the run. */
const kept = 0.9;

const found: Guesser | undefined = Object.entries(guessers).find(([known]) => known === name)?.[1];
if (found === undefined) throw new Error(`There is no ${name} among the guessers.`);
const guesser = found;

/** Where each class of guesses is wrong. */
const places = [0, digest.length - 1, 0] as const;
const times: [number[], number[], number[]] = [[], [], []];

function timed(place: number): number {
  const wrong = digest.slice();
  wrong[place] = (wrong[place] ?? 0) ^ randomInt(1, 256);
  const guess = guesser.prepare(wrong);
  const begin = process.hrtime.bigint();
  guess();
  return Number(process.hrtime.bigint() - begin);
}

for (let turn = -warmUps; turn < Number(samples); turn += 1) {
  const chosen = randomInt(places.length);
  const time = timed(places[chosen] ?? 0);
  if (turn >= 0) times[chosen]?.push(time / guesser.calls);
}
const [first, last, again] = times;
const lastToFirst = differenceOf(first, last, kept);
const againToFirst = differenceOf(first, again, kept);
process.stdout.write(
  JSON.stringify({
    nanoseconds: first.toSorted((one, other) => one - other)[first.length >> 1],
    ratio: lastToFirst.ratio,
    t: Math.abs(lastToFirst.t),
    noiseRatio: againToFirst.ratio,
    noiseT: Math.abs(againToFirst.t),
  }),
);
