import type { RunTime } from "./run-times.ts";

/** Time of the first poll, in standard deviations: 17 of 100 try-ons have ended by then. */
const firstPoll = -0.95;
/** Delay of the result that one saved poll is worth, in milliseconds. */
const pollCost = 165;
/** Bounds of a delay, in milliseconds. */
const minDelay = 500;
const maxDelay = 8_000;
/** Minimum delay as a share of the age of the job. A slow job may take even longer. */
const minShareOfAge = 0.06;

/**
 * Returns the delay before the next poll of a job of this age, in milliseconds. The first poll waits until a few jobs of its
 * kind have ended. Later delays are short while the end is likely and longer after that. Jitter is 10 %.
 */
export function nextPollDelay(
  age: number,
  { median, spread }: RunTime,
  random: () => number,
): number {
  const first = median * Math.exp(firstPoll * spread);
  // After an early poll, the next one is not due at once.
  const delay = age < 0.8 * first ? first - age : delayAt(age, median, spread);
  return delay * (0.9 + 0.2 * random());
}

/**
 * Returns the delay with the lowest cost. With an end at the rate r, delays d cost r·d/2 of waiting and 1/d polls per unit
 * of time, which is lowest for d = √(2·pollCost/r).
 */
function delayAt(age: number, median: number, spread: number): number {
  const deviations = Math.log(age / median) / spread;
  const rate = hazard(deviations) / (spread * age);
  const best = Math.sqrt((2 * pollCost) / rate);
  return Math.min(maxDelay, Math.max(minDelay, minShareOfAge * age, best));
}

/** Returns the hazard rate of the normal distribution, to within 5 %. */
function hazard(deviations: number): number {
  const density = Math.exp(-(deviations ** 2) / 2) / Math.sqrt(2 * Math.PI);
  // The first is exact enough up to about 1, the second above 1. Outside its range, each is the lower one.
  const early = density * (1 + Math.exp(1.702 * deviations));
  const late = (3 * deviations + Math.sqrt(deviations ** 2 + 8)) / 4;
  return Math.max(early, late);
}
