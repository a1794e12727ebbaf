/** Mean and variance of some samples. */
interface Moments {
  readonly mean: number;
  readonly variance: number;
  readonly count: number;
}

function momentsOf(samples: readonly number[]): Moments {
  const mean = samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
  const squares = samples.reduce((sum, sample) => sum + (sample - mean) ** 2, 0);
  return { mean, variance: squares / (samples.length - 1), count: samples.length };
}

/** How two classes of samples differ. */
export interface Difference {
  /** The mean of the second in times that of the first. */
  readonly ratio: number;
  /** Welch's t: how many standard errors the means lie apart. */
  readonly t: number;
}

/**
 * Compares two classes of times, without what disturbed them: of both, the samples above one bound are left out, which is
 * the given quantile of all of them together.
 *
 * @throws RangeError when fewer than two samples of a class are left.
 */
export function differenceOf(
  first: readonly number[],
  second: readonly number[],
  quantile: number,
): Difference {
  const all = [...first, ...second].toSorted((one, other) => one - other);
  const bound = all[Math.ceil(quantile * all.length) - 1] ?? Number.NaN;
  const one = momentsOf(first.filter((sample) => sample <= bound));
  const other = momentsOf(second.filter((sample) => sample <= bound));
  if (!(Math.min(one.count, other.count) >= 2)) {
    throw new RangeError("Two samples of each class have to be left at least; measure more.");
  }
  const error = Math.sqrt(one.variance / one.count + other.variance / other.count);
  const apart = other.mean - one.mean;
  return { ratio: other.mean / one.mean, t: apart === 0 ? 0 : apart / error };
}

/** Student's t for 95 %, by degrees of freedom from 1. */
const student = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/**
 * The interval that holds the true mean of some figures with 95 % confidence.
 *
 * @throws RangeError for fewer than two figures or more than eleven.
 */
export function intervalOf(figures: readonly number[]): readonly [number, number] {
  const factor = student[figures.length - 2];
  if (factor === undefined)
    throw new RangeError(`Got ${figures.length} figures in place of 2 to 11.`);
  const { mean, variance, count } = momentsOf(figures);
  const half = factor * Math.sqrt(variance / count);
  return [mean - half, mean + half];
}
