import { Bench } from "tinybench";

/** Numbers of one round of a benchmark, by group and row name. */
export type Sample = Readonly<Record<string, Readonly<Record<string, number>>>>;

export type Summary = Readonly<Record<"q1" | "median" | "q3" | "runs", number>>;

/** Computes the median and the quartiles, with linear interpolation. */
export function summarize(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((a, b) => a - b);
  const quantile = (share: number): number => {
    const position = share * (sorted.length - 1);
    const below = sorted[Math.floor(position)] ?? Number.NaN;
    const above = sorted[Math.ceil(position)] ?? Number.NaN;
    return below + (above - below) * (position % 1);
  };
  return { q1: quantile(0.25), median: quantile(0.5), q3: quantile(0.75), runs: sorted.length };
}

export const median = (samples: readonly number[]): number => summarize(samples).median;

export function mediansOfBlocks(samples: readonly number[], size = 1): readonly number[] {
  const starts = [...samples.keys()].filter((at) => at % size === 0);
  return starts.map((at) => median(samples.slice(at, at + size)));
}

type Turns = Readonly<Record<string, readonly number[]>>;
export type Call = () => unknown;

/** Measures candidates in turns; the order rotates from turn to turn. */
export async function takeTurns(
  names: readonly string[],
  turns: number,
  measure: (name: string) => Promise<number>,
): Promise<Turns> {
  const values: Record<string, number[]> = {};
  for (let turn = 0; turn < turns; turn += 1) {
    const first = turn % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)])
      (values[name] ??= []).push(await measure(name));
  }
  return values;
}

/** Times blocks of calls in turns, in microseconds per call, after turns that only warm up. */
export async function timeInTurns(
  candidates: Readonly<Record<string, Call>>,
  { calls, turns, warmUps }: Readonly<Record<"calls" | "turns" | "warmUps", number>>,
): Promise<Turns> {
  const limits = { iterations: calls, time: 0, warmup: false, throws: true };
  const time = async (name: string): Promise<number> => {
    const result = candidates[name]?.();
    await result;
    // The garbage of one candidate must not slow down the next.
    globalThis.gc?.();
    const bench = new Bench(limits);
    bench.add(name, () => candidates[name]?.(), { async: result instanceof Promise });
    const [task] = await bench.run();
    if (task?.result.state !== "completed") throw new Error(`${name} did not complete.`);
    return task.result.latency.mean * 1_000;
  };
  await takeTurns(Object.keys(candidates), warmUps, time);
  return takeTurns(Object.keys(candidates), turns, time);
}

export function mediansOf(turns: Turns, scale = 1): Record<string, number> {
  const medians = Object.entries(turns).map(([name, values]) => [name, scale * median(values)]);
  return Object.fromEntries(medians);
}

/** Median of the ratios of two candidates, taken turn by turn. */
export function ratioOf(turns: Turns, name: string, baseline: string): number {
  const others = turns[baseline] ?? [];
  return median((turns[name] ?? []).map((value, turn) => value / (others[turn] ?? Number.NaN)));
}

export function ratiosTo(baseline: string, turns: Turns): Record<string, number> {
  const names = Object.keys(turns).filter((name) => name !== baseline);
  return Object.fromEntries(names.map((name) => [name, ratioOf(turns, name, baseline)]));
}
