import { setTimeout as sleep } from "node:timers/promises";

import type { Control } from "./control.ts";

export interface Time {
  readonly virtual: boolean;
  now(): number;
  pass(milliseconds: number): Promise<void>;
}

export function realTime(
  signal: AbortSignal | undefined,
  wait = (milliseconds: number): Promise<unknown> => sleep(milliseconds, undefined, { signal }),
): Time {
  return {
    virtual: false,
    now: () => Date.now(),
    pass: async (milliseconds) => void (await wait(milliseconds)),
  };
}

export async function virtualTime(
  control: Control,
  signal: AbortSignal | undefined,
): Promise<Time> {
  let now = 0;
  const move = async (milliseconds: number): Promise<void> => {
    signal?.throwIfAborted();
    const response = await control.post("clock", { advance_ms: Math.ceil(milliseconds) });
    now = Number(response["now"]);
  };
  await move(0);
  return { virtual: true, now: () => now, pass: move };
}
