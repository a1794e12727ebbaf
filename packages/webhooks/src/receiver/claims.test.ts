import { beforeEach, describe, expect, it } from "vitest";
import { createMemoryStore, type ReceiverOptions, type ReceiverStore } from "../index.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { ReceivingProcess } from "../../test/receiving-process.ts";

let clock: ManualClock;
let shared: ReceiverStore;
/** Processes with claims of 15 s, which outlast the 8 s that a delivery waits. */
let one: ReceivingProcess;
let two: ReceivingProcess;
beforeEach(() => {
  clock = new ManualClock();
  shared = createMemoryStore({ clock });
  one = start({ claimTtl: 15_000 });
  two = start({ claimTtl: 15_000 });
});
const start = (options?: Partial<ReceiverOptions>): ReceivingProcess =>
  new ReceivingProcess(shared, clock, options);

describe("a claim", () => {
  it.each([
    ["7.5 s by default", undefined, 1_000, 6_499],
    ["15 s with a claimTtl of 15 s", 15_000, 9_000, 5_999],
  ])("expires %s after a crash, while the next attempt waits", async (_name, ttl, before, wait) => {
    const [first, next] = [start({ claimTtl: ttl }), start({ claimTtl: ttl })];
    await first.deliver();
    first.crash();
    await clock.advance(before);
    const second = await next.deliver();
    await clock.advance(wait);
    expect(next.calls).toEqual([]);
    await clock.advance(250);
    expect(next.calls).toHaveLength(1);
    await next.succeed();
    expect(second.status).toBe(204);
  });

  it.each([
    ["2.5 s by default", undefined, 24],
    ["5 s with a claimTtl of 15 s", 15_000, 12],
  ])("is renewed every %s during a handler of 60 s", async (_name, claimTtl, renewals) => {
    const process = start({ claimTtl });
    const first = await process.deliver();
    for (let time = 0; time < 60_000; time += 10_000) {
      const other = await two.deliver();
      await clock.advance(10_000);
      expect(other.status).toBe(503);
    }
    expect(process.store.count("claim")).toBe(1 + renewals);
    await process.succeed();
    expect([first.status, process.aborted, two.calls]).toEqual([204, false, []]);
    expect(clock.pending).toBe(0);
  });
});

describe("while an event is being handled", () => {
  it.each([
    ["8 s by default", undefined, 8_000],
    ["0.1 s with a claimWait of 0.1 s", 100, 100],
  ])("another delivery waits for %s, and then gets 503", async (_name, claimWait, wait) => {
    await one.deliver();
    const other = start({ claimWait });
    const second = await other.deliver();
    await clock.advance(wait - 1);
    expect(second.status).toBeUndefined();
    await clock.advance(1);
    expect(second.status).toBe(503);
    expect(await (await second.response).json()).toMatchObject({ code: "duplicate_event" });
    expect(other.errors).toMatchObject([{ error: { code: "duplicate_event" }, status: 503 }]);
    expect(other.calls).toEqual([]);
  });
});

it.each([undefined, null, true, 1, "OK", {}])(
  "a store that returns %o is an error",
  async (state) => {
    let calls = 0;
    const claim = async () => {
      calls += 1;
      if (calls > 1) throw new Error("asked again");
      return state as never;
    };
    const process = start({ store: { ...shared, claim } });
    expect(await process.statusOf()).toBe(500);
    expect(String(process.errors.at(-1)?.error)).toContain("from `claim`");
    expect(process.calls).toEqual([]);
  },
);

describe("while the store is unreachable", () => {
  it("a delivery gets 500, and nothing is handled", async () => {
    one.store.failing.add("claim");
    const { response } = await one.deliver();
    expect((await response).status).toBe(500);
    expect(await (await response).text()).not.toContain("unreachable");
    expect(one.calls).toEqual([]);
    expect(one.errors).toMatchObject([{ status: 500 }]);
    one.store.failing.clear();
    await one.deliver();
    expect(one.calls).toHaveLength(1);
  });

  it.each([
    ["for one renewal", 0, 5_000],
    ["for 10 s", 5_001, 10_000],
    ["for 9 s at the worst moment", 4_999, 9_000],
  ])("%s, the claim is kept", async (_name, from, span) => {
    await one.deliver();
    await clock.advance(from);
    one.store.failing.add("claim");
    await clock.advance(span);
    one.store.failing.clear();
    const second = await two.deliver();
    await clock.advance(8_000);
    expect([second.status, two.calls, one.aborted]).toEqual([503, [], false]);
    await clock.advance(15_000);
    expect(one.aborted).toBe(false);
  });

  it("the response to a failed handler is 500, and the claim expires", async () => {
    const first = await one.deliver();
    one.store.failing.add("release");
    await one.fail();
    expect(first.status).toBe(500);
    expect(one.errors.map(({ status }) => status)).toEqual([500, 500]);
    await clock.advance(14_750);
    await two.deliver();
    await clock.advance(250);
    expect(two.calls).toHaveLength(1);
  });
});

it("a delivery gets 503 if every claim has expired before the store responds", async () => {
  const unblock = one.store.block("claim");
  const first = await one.deliver();
  shared.claim = async (...claim) => {
    const state = await createMemoryStore({ clock }).claim(...claim);
    clock.skip(15_000);
    return state;
  };
  unblock();
  await clock.advance(20_000);
  expect(first.status).toBe(503);
  expect(one.calls).toEqual([]);
});

describe("the signal of a handler is aborted", () => {
  it.each<[string, (store: ReceivingProcess["store"]) => unknown]>([
    ["unreachable", (store) => store.failing.add("claim")],
    ["blocked", (store) => store.block("claim")],
  ])("when the claim expires while the store is %s", async (_name, interrupt) => {
    const first = await one.deliver();
    interrupt(one.store);
    await clock.advance(14_999);
    expect(one.aborted).toBe(false);
    await clock.advance(1);
    expect(one.aborted).toBe(true);
    const { reason } = one.calls[0]?.context.signal ?? {};
    expect(reason).toMatchObject({ message: expect.stringContaining("job_1") });
    await two.deliver();
    expect(two.calls).toHaveLength(1);
    await one.fail();
    expect(first.status).toBe(500);
    const third = await two.deliver();
    await clock.advance(8_000);
    expect(third.status).toBe(503);
  });

  it("after a suspension in which another handler has failed", async () => {
    await one.deliver();
    clock.skip(15_000);
    await two.deliver();
    await two.fail();
    expect(one.aborted).toBe(true);
    expect(one.store.count("claim")).toBe(1);
  });

  it("when a renewal is granted after the claim has expired", async () => {
    await one.deliver();
    const unblock = one.store.block("claim");
    await clock.advance(5_000);
    clock.skip(15_000);
    unblock();
    await clock.advance(0);
    expect(one.aborted).toBe(true);
  });

  it("when a renewal finds the claim of another delivery", async () => {
    await one.deliver();
    const unblock = one.store.block("claim");
    await clock.advance(5_000);
    clock.skip(10_000);
    await two.deliver();
    unblock();
    await clock.advance(0);
    expect(one.aborted).toBe(true);
    expect(two.calls).toHaveLength(1);
  });

  it("when a renewal finds that the event was handled", async () => {
    await one.deliver();
    await shared.done("tryon.completed:job_1", 3_600_000);
    await clock.advance(4_999);
    expect(one.aborted).toBe(false);
    await clock.advance(1);
    expect(one.aborted).toBe(true);
  });
});

it("records an event whose handler succeeds after its claim has expired", async () => {
  const first = await one.deliver();
  clock.skip(15_000);
  await one.succeed();
  expect(first.status).toBe(204);
  expect(await two.statusOf()).toBe(204);
  expect(two.calls).toEqual([]);
});

describe("done", () => {
  it("is retried after 1 s and after 2 s", async () => {
    const first = await one.deliver();
    one.store.failing.add("done");
    await one.succeed();
    await clock.advance(1_999);
    expect(one.store.count("done")).toBe(2);
    one.store.failing.clear();
    await clock.advance(1);
    expect([first.status, one.store.count("done")]).toEqual([204, 3]);
    expect(await two.statusOf()).toBe(204);
    expect(two.calls).toEqual([]);
  });

  it.each<[string, (store: ReceivingProcess["store"]) => () => void, number, string]>([
    [
      "is unreachable for 2 s",
      ({ failing }) => {
        failing.add("done");
        return () => failing.clear();
      },
      2_000,
      "unreachable",
    ],
    ["does not respond for 8 s", (store) => store.block("done"), 8_000, "`done` within 2000 ms"],
  ])(
    "leads to 500 if the store %s, and only it is repeated for the next delivery",
    async (_name, interrupt, time, message) => {
      const [process, next] = [start(), start()];
      const first = await process.deliver();
      const restore = interrupt(process.store);
      await process.succeed();
      await clock.advance(time - 1);
      expect(first.status).toBeUndefined();
      await clock.advance(1);
      expect([first.status, process.store.count("done")]).toEqual([500, 3]);
      expect(process.errors).toMatchObject([
        { error: { message: expect.stringContaining(message) }, status: 500 },
      ]);
      expect(clock.pending).toBe(0);
      restore();
      await clock.advance(15_000);
      expect([await process.statusOf(), await next.statusOf()]).toEqual([204, 204]);
      expect([process.calls.length, next.calls.length]).toEqual([1, 0]);
    },
  );

  it("is repeated for the latest 1,000 events that were not recorded", async () => {
    one.store.failing.add("done");
    for (let number = 0; number <= 1_000; number += 1) {
      await one.deliver({ job_id: `job_${number}` });
      one.calls.at(-1)?.succeed();
    }
    await clock.advance(2_000);
    one.store.failing.clear();
    await clock.advance(15_000);
    expect(await one.statusOf({ job_id: "job_1" })).toBe(204);
    expect(one.calls).toHaveLength(1_001);
    await one.deliver({ job_id: "job_0" });
    expect(one.calls).toHaveLength(1_002);
  });

  it("keeps the claim while it is retried", async () => {
    const [first, next] = [start({ claimTtl: 1_500 }), start({ claimWait: 100 })];
    await first.deliver();
    first.store.failing.add("done");
    await first.succeed();
    await clock.advance(1_900);
    await next.deliver();
    await clock.advance(100);
    expect(next.calls).toEqual([]);
  });

  it("does not abort the signal when a renewal finds the event done", async () => {
    const { response } = await one.deliver();
    const unblock = one.store.block("claim");
    await clock.advance(5_000);
    const done = shared.done.bind(shared);
    shared.done = async (...event) => {
      await done(...event);
      unblock();
      await clock.advance(0);
    };
    one.calls[0]?.succeed();
    expect((await response).status).toBe(204);
    expect(one.aborted).toBe(false);
  });

  it("lasts for dedupeTtl", async () => {
    const process = start({ dedupeTtl: 60_000 });
    await process.deliver();
    await process.succeed();
    await clock.advance(59_999);
    expect(await process.statusOf()).toBe(204);
    await clock.advance(1);
    await process.deliver();
    expect(process.calls).toHaveLength(2);
  });
});

describe("while the store does not respond", () => {
  it("a claim times out after 9 s with 500, and nothing is handled", async () => {
    one.store.block("claim");
    const first = await one.deliver();
    await clock.advance(8_999);
    expect(first.status).toBeUndefined();
    await clock.advance(1);
    expect(first.status).toBe(500);
    expect(one.errors).toMatchObject([
      { error: { message: expect.stringContaining("`claim` within 9000 ms") }, status: 500 },
    ]);
    expect(one.calls).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it("the last claim of a waiting delivery times out within 10 s of its arrival", async () => {
    await one.deliver();
    const second = await two.deliver();
    await clock.advance(7_999);
    two.store.block("claim");
    await clock.advance(1_001);
    expect(second.status).toBe(500);
    expect(two.calls).toEqual([]);
  });

  it("a claim has 1 s after the deadline if claimWait is longer", async () => {
    const process = start({ claimWait: 60_000 });
    await one.deliver();
    const second = await process.deliver();
    await clock.advance(19_999);
    const unblock = process.store.block("claim");
    await clock.advance(1_000);
    unblock();
    await one.succeed();
    await clock.advance(250);
    expect(second.status).toBe(204);
  });

  it("a claim that is granted after its timeout is released", async () => {
    const unblock = one.store.block("claim");
    const first = await one.deliver();
    await clock.advance(9_000);
    expect(first.status).toBe(500);
    unblock();
    await clock.advance(1_000);
    const second = await one.deliver();
    expect(one.calls).toHaveLength(1);
    await one.succeed();
    expect(second.status).toBe(204);
  });

  it("a renewal times out, and the next one keeps the claim", async () => {
    const [first, next] = [start(), start()];
    const attempt = await first.deliver();
    first.store.block("claim");
    await clock.advance(4_999);
    // The first renewal stays blocked, later ones do not.
    first.store.block("claim")();
    await clock.advance(10_000);
    const second = await next.deliver();
    expect([first.aborted, next.calls]).toEqual([false, []]);
    await first.succeed();
    await clock.advance(250);
    expect([attempt.status, second.status]).toEqual([204, 204]);
  });

  it.each([
    ["9 s after the arrival if the claim took 5 s", 5_000, 0, 3_999],
    ["2 s after a handler that took longer than an attempt", 0, 20_000, 1_999],
  ])("`done` ends %s", async (_name, claimTime, handlerTime, doneTime) => {
    const process = start();
    const unblock = process.store.block("claim");
    const first = await process.deliver();
    await clock.advance(claimTime);
    unblock();
    await clock.advance(handlerTime);
    process.store.block("done");
    await process.succeed();
    await clock.advance(doneTime);
    expect(first.status).toBeUndefined();
    await clock.advance(1);
    expect(first.status).toBe(500);
    expect(clock.pending).toBe(0);
  });

  it("a release times out after 2 s with 500, and the next delivery is handled", async () => {
    const [first, next] = [start(), start()];
    const attempt = await first.deliver();
    first.store.block("release");
    await first.fail();
    await clock.advance(1_999);
    expect(attempt.status).toBeUndefined();
    await clock.advance(1);
    expect(attempt.status).toBe(500);
    expect(first.errors.map(({ status }) => status)).toEqual([500, 500]);
    const second = await next.deliver();
    await clock.advance(7_500);
    expect(next.calls).toHaveLength(1);
    await next.succeed();
    expect(second.status).toBe(204);
  });

  it("a renewal delays the response to a failed handler by 2 s, and is released when granted", async () => {
    const first = await one.deliver();
    const unblock = one.store.block("claim");
    await clock.advance(5_000);
    await one.fail();
    await clock.advance(1_999);
    expect(first.status).toBeUndefined();
    await clock.advance(1);
    expect(first.status).toBe(500);
    // The release follows the timeout of the renewal.
    await clock.advance(3_000);
    expect(one.store.count("release")).toBe(1);
    unblock();
    await clock.advance(0);
    expect(one.store.count("release")).toBe(2);
    await two.deliver();
    expect(two.calls).toHaveLength(1);
  });
});

it("a release waits for a renewal, which is the last one", async () => {
  const first = await one.deliver();
  const unblock = one.store.block("claim");
  await clock.advance(5_000);
  await one.fail();
  expect(one.store.count("release")).toBe(0);
  unblock();
  await clock.advance(0);
  expect(first.status).toBe(500);
  expect(clock.pending).toBe(0);
  await two.deliver();
  expect(two.calls).toHaveLength(1);
});
