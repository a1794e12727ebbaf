import { describe, expect, it } from "vitest";

import { createStoreClock, type ClockRule } from "./store-clock.ts";

const start = 1_800_000_000_000;
const minute = 60_000;

/** Creates a machine, and clocks of processes on it that share one stored time. */
function createMachine(rule: ClockRule) {
  let [date, monotonic] = [start, 0];
  let stored: number | undefined;
  return {
    openClock: () => {
      const clock = createStoreClock(rule, { now: () => date, monotonic: () => monotonic });
      return () => (stored = clock(stored)) - start;
    },
    pass: (time: number): void => {
      date += time;
      monotonic += time;
    },
    setDate: (by: number) => void (date += by),
    sleep: (time: number) => void (date += time),
  };
}

describe.each([
  ["less", { back: 2, forward: 2, slept: 2, gap: 1 }],
  ["more", { back: 2, forward: 62, slept: 62, gap: 61 }],
] as const)("the time of a store by the rule %s", (rule, minutes) => {
  it.each([
    ["the date is right", () => undefined, 2],
    ["the date was set back", ({ setDate }) => setDate(-60 * minute), minutes.back],
    ["the date was set forward", ({ setDate }) => setDate(60 * minute), minutes.forward],
    ["the machine slept", ({ sleep }) => sleep(60 * minute), minutes.slept],
  ] satisfies [string, (machine: ReturnType<typeof createMachine>) => unknown, number][])(
    "after two minutes, if %s",
    (_how, change, expected) => {
      const machine = createMachine(rule);
      const time = machine.openClock();
      expect(time()).toBe(0);
      machine.pass(minute);
      change(machine);
      machine.pass(minute);
      const other = machine.openClock();
      expect([time(), other()]).toEqual([expected * minute, expected * minute]);
    },
  );

  it.each([
    ["an hour later", 60, minutes.gap],
    ["after the date was set back", -60, 1],
  ])("is not behind for a process that starts %s", (_when, by, expected) => {
    const machine = createMachine(rule);
    const time = machine.openClock();
    time();
    machine.pass(minute);
    time();
    machine.setDate(by * minute);
    const other = machine.openClock();
    expect(other()).toBe(expected * minute);
    machine.pass(minute);
    expect(other()).toBe((expected + 1) * minute);
  });

  it("is that of the process that is ahead", () => {
    const machine = createMachine(rule);
    const [one, two] = [machine.openClock(), machine.openClock()];
    one();
    two();
    machine.pass(minute);
    expect(one()).toBe(minute);
    machine.setDate(-30 * minute);
    expect(two()).toBe(minute);
    machine.pass(minute);
    expect([two(), one()]).toEqual([2 * minute, 2 * minute]);
  });
});
