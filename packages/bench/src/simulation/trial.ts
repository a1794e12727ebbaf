import { TryOn } from "@tryon/client";

import { drawRunTimes, usualRunTimes, type RunTimes } from "./run-times.ts";
import { Scene, type Item, type SceneOptions } from "./scene.ts";
import { seededRandom } from "./seeded-random.ts";
import type { Tally } from "./tally.ts";
import type { Way } from "./ways.ts";

/** How much is to be done, and under which limit. */
export interface Load extends Pick<SceneOptions, "limit"> {
  readonly jobs: number;
  readonly runTimes?: RunTimes;
}

/** Has as many try-ons made in one way, from the start to the last result. */
export async function trial(
  way: Pick<Way, "work" | "service">,
  { jobs, limit, runTimes = usualRunTimes }: Load,
  seed: number,
): Promise<Tally> {
  await loaded();
  const items = drawRunTimes(jobs, runTimes, seededRandom(seed * 3)).map(
    (runTime, index): Item => ({ index, runTime }),
  );
  const scene = new Scene({ seed, limit, service: way.service });
  await scene.run(() => way.work(scene, items));
  return scene.close(jobs);
}

/** How long the submissions alone take, in milliseconds: the least that any way can come to, but for a minute. */
export function leastMakespan({ jobs, limit }: Load): number {
  return (jobs / limit) * 60_000;
}

/** Has the client load what it loads late, which takes real time, while the clock of a scene would go on. */
async function loaded(): Promise<void> {
  await new TryOn({ apiKey: "svc_test_none", baseUrl: "https://tryon.invalid" }).inspect({});
}
