/** How long try-ons of a kind run: their logarithm is taken to be spread like a bell. */
export interface RunTime {
  /** Half of them have ended after so many milliseconds. */
  readonly median: number;
  /** The standard deviation of the natural logarithm. */
  readonly spread: number;
}

interface Estimate {
  count: number;
  mean: number;
  variance: number;
}

/** What is taken for true before the first try-on has ended: half end within 12 s, 19 of 20 within 30 s. */
const guess: RunTime = { median: 12_000, spread: 0.557 };
/** What is taken for true of test keys, for which no model runs. */
const testGuess: RunTime = { ...guess, median: 2_000 };
/** The name of what is made with a test key. */
export const testKind = "test";
const narrowest = 0.2;
const widest = 1.2;
/** What ended sooner was not run but remembered. In milliseconds. */
const shortest = 300;
/** What took longer stood still. It counts as this, or the next wait would begin with a look that comes minutes late. */
const longest = 120_000;
/** There are three sizes, each known by its name and its price. */
const mostKinds = 16;
/** How much the newest try-on counts at least, so that what has changed is learned anew. */
const leastWeight = 0.05;

/** What a client has learned of how long try-ons run. Takes no more memory however many there were. */
export class RunTimes {
  readonly #estimates = new Map<string, Estimate>();

  /** Takes how long a try-on ran, which goes by several names. */
  learn(kinds: readonly string[], duration: number): void {
    if (!(duration >= shortest) || duration === Number.POSITIVE_INFINITY) return;
    const value = Math.log(Math.min(duration, longest));
    for (const kind of [...kinds, ""]) {
      const known = this.#estimates.get(kind);
      if (!known && this.#estimates.size >= mostKinds) continue;
      const { count, mean, variance } = known ?? {
        count: 0,
        mean: Math.log(guess.median),
        variance: guess.spread ** 2,
      };
      // The guess weighs half a try-on for where the middle is, and four for how far they spread.
      const middle = mean + (value - mean) * Math.max(leastWeight, 1 / (count + 1.5));
      const pull = Math.max(leastWeight, 1 / (count + 5));
      this.#estimates.set(kind, {
        count: count + 1,
        mean: middle,
        variance: variance + ((value - middle) ** 2 - variance) * pull,
      });
    }
  }

  /** What is known under the first of the names that something is known of. */
  of(kinds: readonly string[]): RunTime {
    for (const kind of [...kinds, ""]) {
      const known = this.#estimates.get(kind);
      if (!known) continue;
      const spread = Math.min(widest, Math.max(narrowest, Math.sqrt(known.variance)));
      return { median: Math.exp(known.mean), spread };
    }
    return kinds.includes(testKind) ? testGuess : guess;
  }
}
