import type { SeededRandom } from "./random.ts";

const deviations = { p90: 1.2815515655446004, p95: 1.6448536269514722 } as const;

export function drawLogNormal(
  random: SeededRandom,
  median: number,
  percentile: keyof typeof deviations,
  value: number,
): number {
  const spread = Math.log(value / median) / deviations[percentile];
  const radius = Math.sqrt(-2 * Math.log(1 - random.fraction()));
  const normal = radius * Math.cos(2 * Math.PI * random.fraction());
  return Math.round(median * Math.exp(spread * normal));
}
