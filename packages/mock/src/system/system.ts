import { Scheduler } from "./scheduler.ts";
import type { SystemClock } from "./clock.ts";
import { ServerStateClock } from "./server-state-clock.ts";
import { SeededRandom } from "./random.ts";

/** The only source of time and chance in the server. */
export interface System {
  readonly clock: ServerStateClock;
  readonly random: SeededRandom;
  readonly scheduler: Scheduler;
}

export function createSystem(parts: { clock: SystemClock; seed: string }): System {
  const clock = new ServerStateClock(parts.clock);
  return { clock, random: new SeededRandom(parts.seed), scheduler: new Scheduler(clock) };
}
