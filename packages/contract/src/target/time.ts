import { setTimeout as sleep } from "node:timers/promises";

import type { Control } from "./control.ts";

/** How time passes for the deployment: by itself, or when it is moved. */
export interface Time {
  readonly virtual: boolean;
  /** Milliseconds since 1970. */
  now(): number;
  /** Lets time pass. */
  pass(milliseconds: number): Promise<void>;
}

export const realTime: Time = {
  virtual: false,
  now: () => Date.now(),
  pass: (milliseconds) => sleep(milliseconds),
};

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
