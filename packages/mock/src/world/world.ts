import { WorldClock, type ClockMode } from "./clock.ts";
import { freshSeed, SeededRandom } from "./random.ts";

/** The only source of time and chance in the server. */
export interface World {
  readonly clock: WorldClock;
  readonly random: SeededRandom;
}

export function createWorld(options: { clock?: ClockMode; seed?: string | number }): World {
  const clock = new WorldClock({ mode: options.clock ?? "real" });
  const random = new SeededRandom(String(options.seed ?? freshSeed()));
  return { clock, random };
}
