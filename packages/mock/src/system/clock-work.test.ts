import { describe, expect, test } from "vitest";

import { manualHost } from "../../test/manual-host.ts";
import { manualStart, SystemClock } from "./clock.ts";
import { turn } from "./host.ts";

function setUp() {
  const machine = manualHost();
  return { machine, clock: new SystemClock({ mode: "manual", host: machine.host }) };
}

const never = new Promise<never>(() => undefined);

describe("work that stops time", () => {
  test("stops it for its patience", async () => {
    const { machine, clock } = setUp();
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

  test("can wait for time, with or without patience", async () => {
    const { machine, clock } = setUp();
    await Promise.all([clock.during(() => clock.outside(clock.sleep(10))), clock.advance(10)]);
    const patient = clock.during(() => clock.outside(clock.sleep(10), 500));
    const moved = clock.advance(10);
    for (let step = 0; step < 20; step += 1) await turn();
    expect(clock.now()).toBe(manualStart + 10);
    machine.pass(500);
    await Promise.all([patient, moved]);
    expect(machine.pending()).toEqual([]);
  });

  test("no longer stops it after a failure", async () => {
    const clock = new SystemClock({ mode: "manual" });
    await expect(clock.during(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    await expect(
      clock.during(() => clock.outside(Promise.reject(new Error("no")))),
    ).rejects.toThrow("no");
    expect(await clock.advance(10)).toBe(manualStart + 10);
  });

  test("causes one warning after 2 s on a clock that does not move", () => {
    const { machine, clock } = setUp();
    for (let time = 0; time < 2; time += 1) void clock.during(() => clock.outside(clock.sleep(10)));
    machine.pass(1_999);
    expect(machine.warnings).toEqual([]);
    machine.pass(1);
    expect(machine.warnings).toEqual([expect.stringContaining("clock.advance")]);
  });

  test("with patience causes a warning only if it lacks time", () => {
    const { machine, clock } = setUp();
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

  test("causes no warning on a clock that moved, or on a real one", async () => {
    const { machine, clock } = setUp();
    void clock.during(() => clock.outside(clock.sleep(10)));
    await clock.advance(1);
    machine.pass(2_000);
    const real = new SystemClock({ host: machine.host });
    void real.during(() => real.outside(never));
    machine.pass(2_000);
    expect(machine.warnings).toEqual([]);
  });

  test("causes no warning after a later call of set", () => {
    const { machine, clock } = setUp();
    const wait = () => void clock.during(() => clock.outside(never));
    wait();
    clock.set();
    machine.pass(2_000);
    expect(machine.warnings).toEqual([]);
    wait();
    machine.pass(2_000);
    expect(machine.warnings).toHaveLength(1);
  });

  test("leaves no timer of the machine after close", async () => {
    const { machine, clock } = setUp();
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
