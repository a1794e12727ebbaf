import { Bench } from "tinybench";

import { takeTurns, type Turns } from "../statistics.ts";

export type Call = () => unknown;

interface Blocks {
  /** Calls per block. */
  readonly calls: number;
  /** Measured blocks per candidate. */
  readonly turns: number;
  /** Blocks per candidate that are not counted. */
  readonly warmUps: number;
}

/** Times blocks of calls of several candidates in turns, in microseconds per call. */
export async function timeInTurns(
  candidates: Readonly<Record<string, Call>>,
  { calls, turns, warmUps }: Blocks,
): Promise<Turns> {
  const names = Object.keys(candidates);
  const isAsync = new Map<string, boolean>();
  for (const [name, call] of Object.entries(candidates)) {
    const result = call();
    isAsync.set(name, result instanceof Promise);
    await result;
  }
  const block = async (name: string): Promise<number> => {
    const call = candidates[name];
    if (call === undefined) throw new RangeError(`There is no candidate ${name}.`);
    // The garbage of one candidate must not slow down the next.
    globalThis.gc?.();
    const bench = new Bench({ iterations: calls, time: 0, warmup: false, throws: true });
    bench.add(name, call, { async: isAsync.get(name) ?? true });
    const [task] = await bench.run();
    if (task?.result.state !== "completed") throw new Error(`${name} did not complete.`);
    return task.result.latency.mean * 1_000;
  };
  await takeTurns(names, warmUps, block);
  return takeTurns(names, turns, block);
}
