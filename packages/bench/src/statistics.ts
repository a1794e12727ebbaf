/** One round of a benchmark: a number for each row, by group and row name. */
export type Sample = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Merges the groups of samples that have different rows. */
export function mergeSamples(samples: readonly Sample[]): Sample {
  const merged: Record<string, Record<string, number>> = {};
  for (const [group, values] of samples.flatMap((sample) => Object.entries(sample))) {
    merged[group] = { ...merged[group], ...values };
  }
  return merged;
}

export interface Summary {
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
  readonly runs: number;
}

/** Computes the median and the quartiles, with linear interpolation. */
export function summarize(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((a, b) => a - b);
  if (sorted.length === 0) throw new RangeError("There are no samples; measure at least once.");
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

/** Measurements of candidates that took turns, by candidate. */
export class Turns {
  readonly #values: ReadonlyMap<string, readonly number[]>;

  constructor(values: ReadonlyMap<string, readonly number[]>) {
    this.#values = values;
  }

  /** Medians of the candidates. */
  medians(): Record<string, number> {
    return Object.fromEntries(Array.from(this.#values, ([name, values]) => [name, median(values)]));
  }

  /** Median of the ratios of two candidates, taken turn by turn. */
  ratio(name: string, baseline: string): number {
    const values = this.#of(name);
    const others = this.#of(baseline);
    return median(values.map((value, turn) => value / (others[turn] ?? Number.NaN)));
  }

  /** Ratios of all other candidates to the baseline. */
  ratios(baseline: string): Record<string, number> {
    const names = [...this.#values.keys()].filter((name) => name !== baseline);
    return Object.fromEntries(names.map((name) => [name, this.ratio(name, baseline)]));
  }

  #of(name: string): readonly number[] {
    const values = this.#values.get(name);
    if (values === undefined) throw new RangeError(`There is no candidate ${name}.`);
    return values;
  }
}

/** Measures candidates in turns; the order rotates from turn to turn. */
export async function takeTurns(
  names: readonly string[],
  turns: number,
  measure: (name: string) => Promise<number>,
): Promise<Turns> {
  const values = new Map(names.map((name) => [name, [] as number[]]));
  for (let turn = 0; turn < turns; turn += 1) {
    const first = turn % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      values.get(name)?.push(await measure(name));
    }
  }
  return new Turns(values);
}

/** Formats a figure with as many digits as are significant. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", {
    minimumFractionDigits: Number.isInteger(value) ? 0 : digits,
    maximumFractionDigits: digits,
  });
}
