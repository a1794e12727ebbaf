import type { RunTime } from "./run-times.ts";

/** Where the first look is: 17 of 100 try-ons have ended by then. In standard deviations. */
const firstLook = -0.95;
/** How many milliseconds of waiting for what has ended a look is worth. */
const worth = 165;
/** In milliseconds. */
const shortestPause = 500;
const longestPause = 8_000;
/** The pause grows with the age of the job at least, as a part of it: what takes this long may take long. */
const leastGrowth = 0.06;

/**
 * The pause before the next look at a job that was submitted so many milliseconds ago: until a few of its kind have ended;
 * from then on short where the end is likely and longer where it is not; each up to 10 % off.
 */
export function nextPollDelay(
  age: number,
  { median, spread }: RunTime,
  random: () => number,
): number {
  const first = median * Math.exp(firstLook * spread);
  // Who has looked a little before the first look was due is not to look again at once.
  const pause = age < 0.8 * first ? first - age : pauseAt(age, median, spread);
  return pause * (0.9 + 0.2 * random());
}

/**
 * With an end that comes at the rate r, pauses p cost r·p/2 of waiting and 1/p looks in each unit of time; p = √(2·worth/r)
 * makes that least.
 */
function pauseAt(age: number, median: number, spread: number): number {
  const deviations = Math.log(age / median) / spread;
  const rate = hazard(deviations) / (spread * age);
  const best = Math.sqrt((2 * worth) / rate);
  return Math.min(longestPause, Math.max(shortestPause, leastGrowth * age, best));
}

/** How likely what is spread like a bell ends here, given that it has not ended before; to within 5 %. */
function hazard(deviations: number): number {
  const density = Math.exp(-(deviations ** 2) / 2) / Math.sqrt(2 * Math.PI);
  // The first holds up to about 1, the second from there on; each is below the other where it does not hold.
  const early = density * (1 + Math.exp(1.702 * deviations));
  const late = (3 * deviations + Math.sqrt(deviations ** 2 + 8)) / 4;
  return Math.max(early, late);
}
