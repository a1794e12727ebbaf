/** Run time of try-ons of a kind, as a log-normal distribution. */
export interface RunTime {
  /** Median, in milliseconds. */
  readonly median: number;
  /** Standard deviation of the natural logarithm. */
  readonly spread: number;
}

interface Estimate {
  count: number;
  mean: number;
  variance: number;
}

/** Run time before the first try-on has ended: half end within 12 s, 19 of 20 within 30 s. */
const guess: RunTime = { median: 12_000, spread: 0.557 };
/** Run time for test keys, which use no model. */
const testGuess: RunTime = { ...guess, median: 2_000 };
/** Kind of a job of a test key. */
export const testKind = "test";
const minSpread = 0.2;
const maxSpread = 1.2;
/** Minimum duration that counts, in milliseconds. A shorter one is a replay. */
const minDuration = 300;
/** Maximum duration that counts, in milliseconds. A longer one would delay the next first poll by minutes. */
const maxDuration = 120_000;
/** Maximum number of kinds: three sizes, each by name and by price, and a reserve. */
const maxKinds = 16;
/** Minimum weight of the newest try-on, so that the estimate follows changes. */
const minWeight = 0.05;

/** Run times that a client has observed, in constant memory. */
export class RunTimes {
  readonly #estimates = new Map<string, Estimate>();

  /** Adds the duration of a try-on, in milliseconds, to its kinds. */
  learn(kinds: readonly string[], duration: number): void {
    if (!(duration >= minDuration) || duration === Number.POSITIVE_INFINITY) return;
    const value = Math.log(Math.min(duration, maxDuration));
    for (const kind of [...kinds, ""]) {
      const known = this.#estimates.get(kind);
      if (!known && this.#estimates.size >= maxKinds) continue;
      const { count, mean, variance } = known ?? {
        count: 0,
        mean: Math.log(guess.median),
        variance: guess.spread ** 2,
      };
      // The initial guess weighs half a try-on for the median, and four for the spread.
      const newMean = mean + (value - mean) * Math.max(minWeight, 1 / (count + 1.5));
      const weight = Math.max(minWeight, 1 / (count + 5));
      this.#estimates.set(kind, {
        count: count + 1,
        mean: newMean,
        variance: variance + ((value - newMean) ** 2 - variance) * weight,
      });
    }
  }

  /** Returns the run time of the first kind with an observation. */
  of(kinds: readonly string[]): RunTime {
    for (const kind of [...kinds, ""]) {
      const known = this.#estimates.get(kind);
      if (!known) continue;
      const spread = Math.min(maxSpread, Math.max(minSpread, Math.sqrt(known.variance)));
      return { median: Math.exp(known.mean), spread };
    }
    return kinds.includes(testKind) ? testGuess : guess;
  }
}
