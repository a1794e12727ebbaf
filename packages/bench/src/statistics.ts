/** Numbers of one round of a benchmark, by group and row name. */
export type Sample = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Computes the median and the quartiles, with linear interpolation. */
export function summarize(samples: readonly number[]) {
  const sorted = samples.toSorted((a, b) => a - b);
  const quantile = (share: number): number => {
    const position = share * (sorted.length - 1);
    const below = sorted[Math.floor(position)] ?? Number.NaN;
    const above = sorted[Math.ceil(position)] ?? Number.NaN;
    return below + (above - below) * (position % 1);
  };
  return { q1: quantile(0.25), median: quantile(0.5), q3: quantile(0.75), runs: sorted.length };
}

export function median(samples: readonly number[]): number {
  return summarize(samples).median;
}

/** Medians of blocks of consecutive samples. */
export function mediansOfBlocks(samples: readonly number[], size = 1): readonly number[] {
  const blocks = Math.ceil(samples.length / size);
  return Array.from({ length: blocks }, (_, block) =>
    median(samples.slice(block * size, (block + 1) * size)),
  );
}
