import { describe, expect, test } from "vitest";

import { manualHost } from "../../test/manual-host.ts";
import { manualStart, SystemClock } from "./clock.ts";
import { turn } from "./host.ts";

function manual() {
  const clock = new SystemClock({ mode: "manual" });
  const fired: string[] = [];
  const set = (name: string, delay: number) =>
    clock.setTimeout(() => fired.push(`${name}@${clock.now() - manualStart}`), delay);
  return { clock, fired, set };
}

function real() {
  const machine = manualHost();
  return { machine, clock: new SystemClock({ host: machine.host }) };
}

/** Creates a manual clock on a machine that the test moves. */
function stepped() {
  const machine = manualHost();
  return { machine, clock: new SystemClock({ mode: "manual", host: machine.host }) };
}

const never = new Promise<never>(() => undefined);

async function turns(count: number): Promise<void> {
  for (let step = 0; step < count; step += 1) await turn();
}

describe("a manual clock", () => {
  test("moves only by advance, and fires timers at their own instants and in their order", async () => {
    const { clock, fired, set } = manual();
    expect(clock.now()).toBe(Date.UTC(2026, 0, 1));
    set("d", 31);
    set("c", 30);
    set("a", 10);
    set("b", 10);
    set("now", 0);
    set("past", -5);
    clock.setTimeout(() => set("by a timer", 5), 20);
    await clock.advance(0);
    expect(fired).toEqual(["now@0", "past@0"]);
    expect(await clock.advance("30ms")).toBe(manualStart + 30);
    expect(fired.slice(2)).toEqual(["a@10", "b@10", "by a timer@25", "c@30"]);
    expect(clock.pending).toBe(1);
  });

  test("waits for work that a timer started", async () => {
    const { clock } = manual();
    const times: number[] = [];
    clock.setTimeout(() => {
      void clock.during(async () => {
        await turns(50);
        times.push(clock.now() - manualStart);
      });
    }, 10);
    await clock.advance("1h");
    expect(times).toEqual([10]);
  });

  test("does not fire canceled timers, even of the same instant", async () => {
    const { clock, fired, set } = manual();
    clock.setTimeout(() => clock.clearTimeout(canceled), 10);
    const canceled = set("canceled", 10);
    const early = set("early", 5);
    clock.clearTimeout(early);
    clock.clearTimeout(early);
    clock.clearTimeout(undefined);
    expect(clock.pending).toBe(2);
    await clock.advance(20);
    expect(fired).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test("fires all timers by runAll", async () => {
    const { clock, fired, set } = manual();
    set("a", 10);
    clock.setTimeout(() => set("c", 86_400_000), 20);
    expect(await clock.runAll()).toBe(manualStart + 86_400_020);
    expect(fired).toEqual(["a@10", "c@86400020"]);
  });

  test("runs concurrent moves one after the other", async () => {
    const { clock, fired, set } = manual();
    set("a", 10);
    set("b", 20);
    const moves = [clock.advance(15), clock.advance(15), clock.runAll()];
    expect(await Promise.all(moves)).toEqual([15, 30, 30].map((span) => manualStart + span));
    expect(fired).toEqual(["a@10", "b@20"]);
  });

  test.each([-1, Number.NaN, Infinity, "", "s", "1.5", "5 s", "5S", "-5s", "1e3ms", "toString"])(
    "rejects an advance by %j, and can move afterwards",
    async (span) => {
      const { clock } = manual();
      await expect(clock.advance(span)).rejects.toThrow(TypeError);
      expect(await clock.advance(1)).toBe(manualStart + 1);
    },
  );

  test("can move after a timer threw", async () => {
    const { clock, fired, set } = manual();
    clock.setTimeout(() => {
      throw new Error("broken timer");
    }, 10);
    set("after", 20);
    await expect(clock.advance(30)).rejects.toThrow("broken timer");
    await clock.advance(30);
    expect(fired).toEqual(["after@20"]);
  });

  test.each([-3_600_000, 3_600_000])(
    "keeps its monotonic time and the rest of each delay if its date is set by %i ms",
    async (length) => {
      const { clock, fired, set } = manual();
      const start = clock.monotonic();
      set("a", 30);
      await clock.advance(10);
      clock.set(clock.now() + length);
      expect(clock.monotonic() - start).toBe(10);
      await clock.advance(19);
      expect(fired).toEqual([]);
      await clock.advance(1);
      expect([fired, clock.now()]).toEqual([[`a@${30 + length}`], manualStart + 30 + length]);
    },
  );

  test("fires no timer after close", async () => {
    const { clock, fired, set } = manual();
    set("before", 10);
    clock.close();
    set("after", 10);
    expect(clock.pending).toBe(0);
    await clock.advance(30);
    expect(fired).toEqual([]);
  });
});

describe("a real clock", () => {
  test("fires timers by timers of the machine", () => {
    const { machine, clock } = real();
    const fired: string[] = [];
    clock.setTimeout(() => fired.push("b"), 20);
    clock.setTimeout(() => fired.push("a"), 10);
    expect(machine.pending()).toEqual([10]);
    machine.pass(10);
    expect([clock.now(), fired]).toEqual([1_010, ["a"]]);
    machine.pass(10);
    expect(fired).toEqual(["a", "b"]);
    expect(machine.pending()).toEqual([]);
  });

  test("keeps no timer of the machine for canceled timers", () => {
    const { machine, clock } = real();
    clock.clearTimeout(clock.setTimeout(() => undefined, 10));
    expect(machine.pending()).toEqual([]);
    clock.setTimeout(() => undefined, 10);
    clock.close();
    expect(machine.pending()).toEqual([]);
  });

  test("moves ahead and continues from there", async () => {
    const { machine, clock } = real();
    const fired: number[] = [];
    clock.setTimeout(() => fired.push(clock.now()), 60_000);
    expect(await clock.advance("2m")).toBe(121_000);
    expect(fired).toEqual([61_000]);
    machine.pass(5);
    expect(clock.now()).toBe(121_005);
    clock.setTimeout(() => fired.push(clock.now()), 10);
    machine.pass(10);
    expect(fired).toEqual([61_000, 121_015]);
  });

  test.each([-3_600_000, 3_600_000])(
    "fires timers on time if the date of the machine is set by %i ms",
    async (length) => {
      const { machine, clock } = real();
      const fired: number[] = [];
      const set = (delay: number) => clock.setTimeout(() => fired.push(delay), delay);
      set(10);
      set(60_000);
      const start = clock.monotonic();
      machine.setDate(length);
      expect(clock.now()).toBe(1_000 + length);
      machine.pass(9);
      expect(fired).toEqual([]);
      machine.pass(1);
      expect(fired).toEqual([10]);
      await clock.advance("1m");
      expect([fired, clock.monotonic() - start]).toEqual([[10, 60_000], 60_010]);
    },
  );

  test("splits a delay above the maximum of the machine", () => {
    const { machine, clock } = real();
    const fired: number[] = [];
    const far = 30 * 86_400_000;
    clock.setTimeout(() => fired.push(clock.now()), far);
    machine.pass(2 ** 31 - 1);
    expect(fired).toEqual([]);
    machine.pass(far - (2 ** 31 - 1));
    expect(fired).toEqual([1_000 + far]);
  });
});

describe("runUntil", () => {
  test("fires timers until the promise settles", async () => {
    const { clock, fired, set } = manual();
    const work = clock.sleep(10).then(() => clock.sleep(15));
    set("before", 20);
    set("after", 26);
    await clock.runUntil(work.then(() => fired.push("work")));
    expect(fired).toEqual(["before@20", "work"]);
    expect(clock.now()).toBe(manualStart + 25);
    expect(clock.pending).toBe(1);
  });

  test("returns the value of the promise, or throws its error", async () => {
    const { clock } = manual();
    expect(await clock.runUntil(clock.sleep(10).then(() => "done"))).toBe("done");
    const failing = clock.sleep(10).then(() => Promise.reject(new Error("failed")));
    await expect(clock.runUntil(failing)).rejects.toThrow("failed");
    expect(clock.now()).toBe(manualStart + 20);
  });

  test("allows the work to move the clock", async () => {
    const { clock, fired, set } = manual();
    set("on the way", 30);
    await clock.runUntil(clock.sleep(10).then(() => clock.advance(40)));
    expect(fired).toEqual(["on the way@30"]);
    expect(clock.now()).toBe(manualStart + 50);
  });

  test("waits for other work when no timer is left", async () => {
    const { clock } = manual();
    const read = new Promise<string>((resolve) => {
      setTimeout(resolve, 5, "read");
    });
    expect(await clock.runUntil(read)).toBe("read");
    expect(clock.now()).toBe(manualStart);
  });

  test("fails at its limit, at the last timer before it", async () => {
    const { clock } = manual();
    const repeat = (): unknown => clock.setTimeout(repeat, 60_000);
    repeat();
    await expect(clock.runUntil(never, "5m")).rejects.toThrow("still pending after 300000 ms");
    expect(clock.now()).toBe(manualStart + 300_000);
  });

  test("fails when no timer is left for ten seconds of the machine", async () => {
    const { machine, clock } = stepped();
    const waiting = clock.runUntil(never).catch((error: unknown) => error);
    await turns(20);
    machine.pass(10_001);
    expect(String(await waiting)).toContain("no timer was left to fire");
  });
});

describe("work that stops time", () => {
  test("stops it for its patience", async () => {
    const { machine, clock } = stepped();
    let end: (() => void) | undefined;
    const work = clock.during(() => new Promise<void>((resolve) => (end = resolve)), 1_000);
    const moved = clock.advance(10);
    await turns(20);
    expect(clock.now()).toBe(manualStart);
    machine.pass(1_000);
    expect(await moved).toBe(manualStart + 10);
    end?.();
    await work;
    expect(await clock.advance(10)).toBe(manualStart + 20);
  });

  test("can wait for time, with or without patience", async () => {
    const { machine, clock } = stepped();
    await Promise.all([clock.during(() => clock.outside(clock.sleep(10))), clock.advance(10)]);
    const patient = clock.during(() => clock.outside(clock.sleep(10), 500));
    const moved = clock.advance(10);
    await turns(20);
    expect(clock.now()).toBe(manualStart + 10);
    machine.pass(500);
    await Promise.all([patient, moved]);
    expect(machine.pending()).toEqual([]);
  });

  test("no longer stops it once its patience ends, also while it waits for time", async () => {
    const { machine, clock } = stepped();
    const waiting = clock.during(() => clock.outside(clock.sleep(10)), 1_000);
    machine.pass(1_000);
    const late = clock.during(async () => {
      await clock.sleep(5);
      await clock.outside(clock.sleep(5));
    }, 1_000);
    machine.pass(1_000);
    expect(await clock.advance(10)).toBe(manualStart + 10);
    await Promise.all([waiting, late]);
    void clock.during(() => clock.sleep(10));
    const moved = clock.advance(10);
    await turns(20);
    // Work without patience still stops it.
    expect(clock.idle).toBe(false);
    clock.close();
    void moved;
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
    const { machine, clock } = stepped();
    for (let time = 0; time < 2; time += 1) void clock.during(() => clock.outside(clock.sleep(10)));
    machine.pass(1_999);
    expect(machine.warnings).toEqual([]);
    machine.pass(1);
    expect(machine.warnings).toEqual([expect.stringContaining("clock.advance")]);
  });

  test("with patience causes a warning only if it lacks time", () => {
    const { machine, clock } = stepped();
    for (const lacksTime of [false, true]) {
      void clock.during(() => clock.outside(never, 1_000, lacksTime));
      machine.pass(2_000);
      expect(machine.warnings).toHaveLength(lacksTime ? 1 : 0);
    }
    expect(machine.pending()).toEqual([]);
  });

  test("causes no warning on a clock that moved, or on a real one", async () => {
    const { machine, clock } = stepped();
    void clock.during(() => clock.outside(clock.sleep(10)));
    await clock.advance(1);
    machine.pass(2_000);
    const other = new SystemClock({ host: machine.host });
    void other.during(() => other.outside(never));
    machine.pass(2_000);
    expect(machine.warnings).toEqual([]);
  });

  test("causes no warning after a later call of set", () => {
    const { machine, clock } = stepped();
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
    const { machine, clock } = stepped();
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
