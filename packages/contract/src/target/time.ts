import { setTimeout as sleep } from "node:timers/promises";

import type { Control } from "./control.ts";

/** Clock of the deployment: real, or advanced by the kit. */
export interface Time {
  readonly virtual: boolean;
  /** Milliseconds since 1970. */
  now(): number;
  /** Waits, or advances the clock. Rejects when the signal of the run aborts. */
  pass(milliseconds: number): Promise<void>;
}

/** Returns the clock of this machine. */
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

/** Returns the clock of a reference server, which the kit advances. */
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
