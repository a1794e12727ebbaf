/** How long the model takes for a job: a log-normal distribution, in milliseconds. */
export interface RunTimes {
  readonly median: number;
  /** What 95 of 100 jobs do not take longer than. */
  readonly p95: number;
}

/** The run times that the simulation is about. */
export const usualRunTimes: RunTimes = { median: 12_000, p95: 30_000 };

/** The same service, so many times as slow. */
export function slowerBy(times: number, { median, p95 }: RunTimes): RunTimes {
  return { median: median * times, p95: p95 * times };
}

/** How many standard deviations of a normal distribution lie below its 95th percentile. */
const deviationsToP95 = 1.644_853_626_951_472_2;

/** Draws run times, in whole milliseconds. */
export function drawRunTimes(
  count: number,
  { median, p95 }: RunTimes,
  random: () => number,
): readonly number[] {
  const deviation = Math.log(p95 / median) / deviationsToP95;
  return Array.from({ length: count }, () =>
    Math.round(median * Math.exp(deviation * normal(random))),
  );
}

/** A number of the standard normal distribution, by Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
