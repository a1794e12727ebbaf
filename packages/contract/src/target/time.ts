import { setTimeout as sleep } from "node:timers/promises";

import type { Control } from "./control.ts";

/** Clock of the deployment: real, or advanced by the kit. */
export interface Time {
  readonly virtual: boolean;
  /** Milliseconds since 1970. */
  now(): number;
  /** Waits, or advances the clock. @throws the reason of the signal. */
  pass(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const realTime: Time = {
  virtual: false,
  now: () => Date.now(),
  pass: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};

/** Returns a clock whose waits a signal can end. */
export function interruptible(time: Time, signal: AbortSignal | undefined): Time {
  if (signal === undefined) return time;
  return {
    virtual: time.virtual,
    now: () => time.now(),
    pass: async (milliseconds) => {
      signal.throwIfAborted();
      await time.pass(milliseconds, signal);
    },
  };
}

/** Returns the clock of a reference server, which the kit advances. */
export async function virtualTime(control: Control): Promise<Time> {
  let now = 0;
  const move = async (milliseconds: number): Promise<void> => {
    const response = await control.post("clock", { advance_ms: milliseconds });
    now = Number(response["now"]);
  };
  await move(0);
  return { virtual: true, now: () => now, pass: (milliseconds) => move(Math.ceil(milliseconds)) };
}
