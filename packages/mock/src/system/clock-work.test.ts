import { describe, expect, test } from "vitest";

import { manualHost } from "../../test/manual-host.ts";
import { manualStart, SystemClock } from "./clock.ts";
import { turn } from "./host.ts";

describe("work that time waits for", () => {
  test("gets no more patience than it was given", async () => {
    const machine = manualHost();
    const clock = new SystemClock({ mode: "manual", host: machine.host });
    let end: (() => void) | undefined;
    const work = clock.during(() => new Promise<void>((resolve) => (end = resolve)), 1_000);
    const moved = clock.advance(10);
    for (let step = 0; step < 20; step += 1) await turn();
    expect(clock.now()).toBe(manualStart);
    machine.pass(1_000);
    expect(await moved).toBe(manualStart + 10);
    end?.();
    await work;
    expect(await clock.advance(10)).toBe(manualStart + 20);
  });

  test("may itself wait for time, with patience or without", async () => {
    const machine = manualHost();
    const clock = new SystemClock({ mode: "manual", host: machine.host });
    await Promise.all([clock.during(() => clock.outside(clock.sleep(10))), clock.advance(10)]);
    const patient = clock.during(() => clock.outside(clock.sleep(10), 500));
    const moved = clock.advance(10);
    for (let step = 0; step < 20; step += 1) await turn();
    expect(clock.now()).toBe(manualStart + 10);
    machine.pass(500);
    await Promise.all([patient, moved]);
    expect(machine.pending()).toEqual([]);
  });

  test("and fails does not stop time", async () => {
    const clock = new SystemClock({ mode: "manual" });
    await expect(clock.during(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await expect(
      clock.during(() => clock.outside(Promise.reject(new Error("no")))),
    ).rejects.toThrow("no");
    expect(await clock.advance(10)).toBe(manualStart + 10);
  });

  test("and waits on a clock that nobody moves is told of once after 2 s", () => {
    const machine = manualHost();
    const clock = new SystemClock({ mode: "manual", host: machine.host });
    for (let call = 0; call < 2; call += 1) void clock.during(() => clock.outside(clock.sleep(10)));
    machine.pass(1_999);
    expect(machine.warnings).toEqual([]);
    machine.pass(1);
    expect(machine.warnings).toHaveLength(1);
    expect(machine.warnings[0]).toContain("clock.advance");
  });

  test("and may lack time is told of although it had patience first, and else is not", () => {
    const machine = manualHost();
    const clock = new SystemClock({ mode: "manual", host: machine.host });
    const never = new Promise<never>(() => undefined);
    void clock.during(() => clock.outside(never, 1_000));
    machine.pass(2_000);
    expect(machine.warnings).toEqual([]);
    void clock.during(() => clock.outside(never, 1_000, true));
    machine.pass(1_999);
    expect(machine.warnings).toEqual([]);
    machine.pass(1);
    expect(machine.warnings).toHaveLength(1);
    expect(machine.pending()).toEqual([]);
  });

  test("and waits on a clock that was moved, or on a real one, is not told of", async () => {
    const machine = manualHost();
    const clock = new SystemClock({ mode: "manual", host: machine.host });
    void clock.during(() => clock.outside(clock.sleep(10)));
    await clock.advance(1);
    machine.pass(2_000);
    const real = new SystemClock({ host: machine.host });
    void real.during(() => real.outside(new Promise(() => undefined)));
    machine.pass(2_000);
    expect(machine.warnings).toEqual([]);
  });

  test("and was left behind when time was set is not told of, but the next one is", () => {
    const machine = manualHost();
    const clock = new SystemClock({ mode: "manual", host: machine.host });
    const wait = () => void clock.during(() => clock.outside(new Promise(() => undefined)));
    wait();
    clock.set();
    machine.pass(2_000);
    expect(machine.warnings).toEqual([]);
    wait();
    machine.pass(2_000);
    expect(machine.warnings).toHaveLength(1);
  });

  test("leaves nothing of itself on the machine when the clock is closed", async () => {
    const machine = manualHost();
    const clock = new SystemClock({ mode: "manual", host: machine.host });
    const never = new Promise<never>(() => undefined);
    void clock.during(() => clock.outside(never));
    void clock.during(() => clock.outside(never, 1_000));
    void clock.during(() => never, 1_000);
    clock.setTimeout(() => undefined, 5);
    clock.close();
    void clock.during(() => never, 1_000);
    expect(machine.pending()).toEqual([]);
    expect(clock.pending).toBe(0);
    expect(await clock.advance(10)).toBe(manualStart + 10);
  });
});
