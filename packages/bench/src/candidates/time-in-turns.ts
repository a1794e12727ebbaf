import { Bench } from "tinybench";

import { takeTurns, type Turns } from "../statistics.ts";

export type Call = () => unknown;

/**
 * Times blocks of calls of several candidates in turns, in microseconds per call; the blocks of the first turns warm up
 * and are not counted.
 */
export async function timeInTurns(
  candidates: Readonly<Record<string, Call>>,
  { calls, turns, warmUps }: Readonly<Record<"calls" | "turns" | "warmUps", number>>,
): Promise<Turns> {
  const blocks = new Map<string, () => Bench>();
  for (const [name, call] of Object.entries(candidates)) {
    const result = call();
    await result;
    const options = { async: result instanceof Promise };
    // A Bench runs once.
    const limits = { iterations: calls, time: 0, warmup: false, throws: true };
    blocks.set(name, () => new Bench(limits).add(name, call, options));
  }
  const time = async (name: string): Promise<number> => {
    // The garbage of one candidate must not slow down the next.
    globalThis.gc?.();
    const [task] = (await blocks.get(name)?.().run()) ?? [];
    if (task?.result.state !== "completed") throw new Error(`${name} did not complete.`);
    return task.result.latency.mean * 1_000;
  };
  const names = Object.keys(candidates);
  await takeTurns(names, warmUps, time);
  return takeTurns(names, turns, time);
}
