import { describe, expect, it } from "vitest";

import { makeDigestsInstant } from "../../test/instant-digests.ts";
import {
  interrupted,
  memoryJournal,
  order,
  requestLost,
  responseLost,
  runOrders,
  type MemoryJournal,
} from "../../test/memory-journal.ts";
import { createService, cut, machineClock, respondWith } from "../../test/service.ts";
import type { SharedJournal } from "./index.ts";

makeDigestsInstant();

const minute = 60_000;

/** Returns a shared journal on a storage with this clock. */
function shared(memory: MemoryJournal, now: () => number): SharedJournal {
  return {
    ...memory,
    name: "orders",
    claimTtl: 30_000,
    claim: async (id) => ({ state: "claimed", entry: await memory.get(id), now: now() }),
    putClaimed: async (entry) => {
      await memory.put(entry);
      return true;
    },
    renew: async () => undefined,
    release: async () => undefined,
  };
}

/** Runs an item in a process that loses its outcome, and after some time in another one, whose dates differ. */
async function runInTwo(after: number, skew: number, faults = responseLost) {
  const service = createService();
  const memory = memoryJournal();
  const journal = shared(memory, () => service.mock.clock.now());
  const other = machineClock(service.mock.clock);
  other.setDate(skew * minute);
  service.faults.push(undefined, ...faults);
  await runOrders(service, [order("a")], journal, { tryon: service.client() });
  service.faults.length = 0;
  const before = service.submissions().length;
  await service.mock.clock.advance(after * minute);
  const tryon = service.client({ clock: other.machine });
  const { read } = await runOrders(service, [order("a")], journal, { tryon });
  return { service, item: read[0], sent: service.submissions().length - before };
}

describe("an item of a shared journal that another process may have submitted", () => {
  const skews = [-60, -20, 0, 20, 60];

  it.each(skews)("is not sent after its window, with dates %i minutes apart", async (skew) => {
    const { service, item, sent } = await runInTwo(28, skew, requestLost);
    expect([item?.error, sent]).toMatchObject([{ code: "outcome_unknown" }, 0]);
    expect(await service.balance()).toBe(1_000);
  });

  it.each(skews)("is sent again within it, with dates %i minutes apart", async (skew) => {
    const { service, item, sent } = await runInTwo(5, skew);
    expect([item?.result !== undefined, sent, service.keys().size]).toEqual([true, 1, 1]);
    expect(await service.balance()).toBe(992);
  });
});

it("a batch with a shared journal leaves no timer, which would keep the program running", async () => {
  const service = createService();
  const { clock } = service.mock;
  const timers = new Map<unknown, () => void>();
  const counted = {
    now: () => clock.now(),
    setTimeout: (callback: () => void, delay: number) => {
      const timer = clock.setTimeout(() => {
        timers.delete(timer);
        callback();
      }, delay);
      timers.set(timer, () => clock.clearTimeout(timer));
      return timer;
    },
    clearTimeout: (timer: unknown) => {
      timers.get(timer)?.();
      timers.delete(timer);
    },
  };
  const journal = shared(memoryJournal(), () => clock.now());
  const { read } = await runOrders(service, [order("a"), order("b")], journal, {
    tryon: service.client({ clock: counted }),
  });
  expect(read.map(({ error }) => error)).toEqual([undefined, undefined]);
  expect(timers.size).toBe(0);
});

it.each([
  ["slept", 10, ({ sleep }: ReturnType<typeof machineClock>) => sleep(10 * minute)],
  ["was set back", 0, ({ setDate }: ReturnType<typeof machineClock>) => setDate(-60 * minute)],
])("an item is not retried after its window if the machine %s", async (_what, most, change) => {
  const service = createService();
  const journal = await interrupted(service, requestLost);
  const { sentAt = 0 } = journal.entries.get("a") ?? {};
  await service.mock.clock.advance("20m");
  const machine = machineClock(service.mock.clock);
  const slow = respondWith(429, { detail: "Slow." }, { "retry-after": "59" });
  // The first request is for the rate limit.
  service.faults.push(undefined, cut.before, ...Array.from({ length: 20 }, () => slow));
  const before = service.submissions().length;
  const tryon = service.client({ clock: machine.machine, timeout: "5h" });
  const running = runOrders(service, [order("a")], journal, { tryon });
  await service.mock.clock.advance(10_000);
  await change(machine);
  const { read } = await running;
  expect(read[0]?.error).toMatchObject({ code: "outcome_unknown" });
  const sent = service.submissions().slice(before);
  expect(sent.length).toBeGreaterThan(1);
  const last = Math.max(...sent.map(({ at }) => at - sentAt));
  expect(last).toBeLessThan(most > 0 ? 21 * minute : 27 * minute);
});
