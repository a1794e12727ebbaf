import { setTimeout as sleep } from "node:timers/promises";

import type { Control } from "./control.ts";

/** How time passes for the deployment: by itself, or when it is moved. */
export interface Time {
  readonly virtual: boolean;
  /** Milliseconds since 1970. */
  now(): number;
  /** Lets time pass. @throws the reason of the signal when that ends it. */
  pass(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const realTime: Time = {
  virtual: false,
  now: () => Date.now(),
  pass: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};

/** The same time for a run that a signal can end. */
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

/** The time of a reference server, which passes when the kit moves it. */
export async function virtualTime(control: Control): Promise<Time> {
  let now = 0;
  const move = async (milliseconds: number): Promise<void> => {
    const answer = await control.post("clock", { advance_ms: milliseconds });
    now = Number(answer["now"]);
  };
  await move(0);
  return { virtual: true, now: () => now, pass: (milliseconds) => move(Math.ceil(milliseconds)) };
}
