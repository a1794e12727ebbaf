import { SeededRandom } from "../system/random.ts";
import { milliseconds } from "../system/duration.ts";
import type { Latency } from "./fault.ts";

/** The normal distribution's 95th percentile, in standard deviations. */
const deviations95 = 1.6448536269514722;

/**
 * What chance decides about one meeting of a fault with a call. It follows from the seed, the fault and the number of
 * the meeting alone: neither other draws of the world nor the order in which faults were added change it.
 */
export interface Meeting {
  readonly seed: string;
  readonly faultId: string;
  readonly number: number;
}

export function strikes(meeting: Meeting, probability: number): boolean {
  return probability === 1 || chanceOf(meeting, "strike").fraction() < probability;
}

/** How long this call is held up, in milliseconds. */
export function drawLatency(meeting: Meeting, latency: Latency): number {
  if (typeof latency !== "object") return milliseconds(latency);
  const median = milliseconds(latency.median);
  const spread = Math.log(milliseconds(latency.p95) / median) / deviations95;
  return Math.round(median * Math.exp(spread * normal(chanceOf(meeting, "latency"))));
}

function chanceOf({ seed, faultId, number }: Meeting, purpose: string): SeededRandom {
  return new SeededRandom([seed, purpose, faultId, number].join("\n"));
}

/** One draw from the standard normal distribution. */
function normal(random: SeededRandom): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.fraction()));
  return radius * Math.cos(2 * Math.PI * random.fraction());
}
