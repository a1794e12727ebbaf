import { Agenda } from "./agenda.ts";
import type { WorldClock } from "./clock.ts";
import { EpochClock } from "./epoch-clock.ts";
import { SeededRandom } from "./random.ts";

/** The only source of time and chance in the server. */
export interface World {
  readonly clock: EpochClock;
  readonly random: SeededRandom;
  readonly agenda: Agenda;
}

export function createWorld(parts: { clock: WorldClock; seed: string }): World {
  const clock = new EpochClock(parts.clock);
  return { clock, random: new SeededRandom(parts.seed), agenda: new Agenda(clock) };
}
