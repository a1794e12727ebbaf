import { beforeEach, describe, expect, it, vi } from "vitest";

import { ManualClock } from "../../test/manual-clock.ts";
import { ReceivingProcess } from "../../test/receiving-process.ts";
import { createMemoryStore, type ReceiverOptions } from "../index.ts";
import type { Clock } from "./clock.ts";

const hour = 3_600_000;
const day = 24 * hour;
const key = "tryon.completed:job_1";

/** Clock of the machines and of the store: only their dates change. */
let time: ManualClock;
let machine: Clock;
let offset: number;
beforeEach(() => {
  time = new ManualClock();
  offset = 0;
  machine = {
    now: () => time.now() + offset,
    monotonic: () => time.now(),
    setTimeout: (callback, delay) => time.setTimeout(callback, delay),
    clearTimeout: (timer) => time.clearTimeout(timer),
  };
});

const start = (
  options: Partial<ReceiverOptions> = {},
  shared = createMemoryStore({ clock: time }),
) => new ReceivingProcess(shared, time, { clock: machine, ...options });

describe.each([
  ["back", -hour],
  ["forward", hour],
])("if the date is set %s", (_direction, change) => {
  it("a delivery waits for another one for claimWait", async () => {
    const shared = createMemoryStore({ clock: time });
    // The clock of the process that handles the event is right.
    await start({ clock: time }, shared).deliver();
    const second = await start({}, shared).deliver();
    offset = change;
    await time.advance(7_999);
    expect(second.status).toBeUndefined();
    await time.advance(1);
    expect(second.status).toBe(503);
  });

  it("a delivery of an unreachable store fails after 9 s, and its record after 3 s", async () => {
    const one = start();
    one.store.block("claim");
    const first = await one.deliver();
    offset = change;
    await time.advance(9_000);
    expect(first.status).toBe(500);
    const two = start();
    const second = await two.deliver();
    two.store.block("done");
    await time.advance(7_000);
    await two.succeed();
    offset -= change;
    await time.advance(3_000);
    expect(second.status).toBe(500);
  });

  it("a claim in memory lasts for its time", async () => {
    const store = createMemoryStore({ clock: machine });
    await store.claim(key, "one", 7_500);
    offset = change;
    await time.advance(7_499);
    expect(await store.claim(key, "two", 7_500)).toBe("open");
    await time.advance(1);
    expect(await store.claim(key, "two", 7_500)).toBe("claimed");
  });

  it("a report of refused deliveries follows after a minute", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const receiver = start({ onError: undefined, secrets: "another" });
    await receiver.statusOf();
    offset = change;
    await receiver.statusOf();
    expect(warn).toHaveBeenCalledTimes(1);
    await time.advance(60_000);
    await receiver.statusOf();
    expect(warn).toHaveBeenCalledTimes(2);
    warn.mockRestore();
  });
});

it("a handled event is remembered in memory although the date is set forward by 8 days", async () => {
  const store = createMemoryStore({ clock: machine });
  await store.done(key, 7 * day);
  offset = 8 * day;
  expect(await store.claim(key, "one", hour)).toBe("done");
  await time.advance(7 * day);
  expect(await store.claim(key, "one", hour)).toBe("claimed");
});

describe("a receiver without its store", () => {
  it("loses its claim in time if the date is set back", async () => {
    const one = start();
    await one.deliver();
    one.store.block("claim");
    offset = -hour;
    await time.advance(7_499);
    expect(one.aborted).toBe(false);
    await time.advance(1);
    expect(one.aborted).toBe(true);
  });

  it("takes its claim for lost at its next renewal if the machine may have slept", async () => {
    const one = start();
    await one.deliver();
    one.store.block("claim");
    offset = hour;
    await time.advance(2_500);
    expect(one.aborted).toBe(true);
  });

  it("claims an event again if the claim took longer than it lasts, by either clock", async () => {
    const one = start({ claimTtl: 1_000 });
    const open = one.store.block("claim");
    await one.deliver();
    offset = 1_000;
    open();
    await time.advance(0);
    expect([one.store.count("claim"), one.calls.length]).toEqual([2, 1]);
  });
});

it("a claimTtl above the maximum of a timer needs no longer timer", async () => {
  const delays: number[] = [];
  const recorded: Clock = {
    ...machine,
    setTimeout: (callback, delay) => {
      delays.push(delay);
      return time.setTimeout(callback, delay);
    },
  };
  await start({ clock: recorded, claimTtl: 90 * day }).deliver();
  expect(Math.max(...delays)).toBe(2 ** 31 - 1);
});
