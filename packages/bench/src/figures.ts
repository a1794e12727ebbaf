/** The middle of some figures, and the ends between which they lie. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly runs: number;
}

/** @throws RangeError when there is no figure. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const [least] = sorted;
  const most = sorted.at(-1);
  if (least === undefined || most === undefined) {
    throw new RangeError("There is no figure to take the median of; measure at least once.");
  }
  const upper = sorted[sorted.length >> 1] ?? least;
  const lower = sorted[(sorted.length - 1) >> 1] ?? least;
  return { median: (lower + upper) / 2, least, most, runs: sorted.length };
}

/**
 * What one measurement is to another, pair by pair: what disturbs the machine disturbs both of a pair, so the ratios
 * lie closer together than the figures.
 *
 * @throws RangeError when they are not of the same number.
 */
export function ratiosOf(figures: readonly number[], others: readonly number[]): readonly number[] {
  if (figures.length !== others.length) {
    throw new RangeError(
      `Figures are compared in pairs; there are ${figures.length} and ${others.length}.`,
    );
  }
  return figures.map((figure, index) => figure / (others[index] ?? Number.NaN));
}
