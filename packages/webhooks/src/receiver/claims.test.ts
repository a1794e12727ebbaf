import { beforeEach, describe, expect, it } from "vitest";
import { createMemoryStore } from "../index.ts";
import type { ReceiverOptions, ReceiverStore } from "../index.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { ReceivingProcess } from "../../test/receiving-process.ts";

let clock: ManualClock;
let shared: ReceiverStore;
beforeEach(() => {
  clock = new ManualClock();
  shared = createMemoryStore({ clock });
});
/** With claims of 15 s, so that they outlast the 8 s that a delivery waits. */
const start = (options?: Partial<ReceiverOptions>): ReceivingProcess =>
  new ReceivingProcess(shared, clock, { claimTtl: 15_000, ...options });
const startPlain = (): ReceivingProcess => new ReceivingProcess(shared, clock);

describe("a claim, unless another time is asked for,", () => {
  it("runs out 7.5 s after its process died, while the next attempt waits", async () => {
    const [one, two] = [startPlain(), startPlain()];
    await one.deliver();
    one.die();
    await clock.advance(1_000);
    const second = await two.deliver();
    await clock.advance(6_499);
    expect(two.works).toEqual([]);
    await clock.advance(250);
    expect(two.works).toHaveLength(1);
    two.works[0]?.succeed();
    await clock.advance(0);
    expect(second.status).toBe(204);
  });

  it("is renewed every 2.5 s while its handler lives", async () => {
    const [one, two] = [startPlain(), startPlain()];
    await one.deliver();
    for (let at = 0; at < 60_000; at += 10_000) {
      const other = await two.deliver();
      await clock.advance(10_000);
      expect(other.status).toBe(503);
    }
    expect(one.store.count("claim")).toBe(1 + 24);
    expect(one.works[0]?.context.signal.aborted).toBe(false);
    expect(two.works).toEqual([]);
  });
});

describe("an event that is being handled", () => {
  it("keeps another delivery waiting for 8 s, which is then answered 503", async () => {
    const [one, two] = [start(), start()];
    await one.deliver();
    const second = await two.deliver();
    await clock.advance(7_999);
    expect(second.status).toBeUndefined();
    await clock.advance(1);
    expect(second.status).toBe(503);
    expect(await (await second.answer).json()).toMatchObject({ code: "duplicate_event" });
    expect(two.errors).toMatchObject([{ error: { code: "duplicate_event" }, status: 503 }]);
    expect(two.works).toEqual([]);
  });

  it("keeps one waiting for as long as claimWait says", async () => {
    const process = start({ claimWait: 100 });
    await process.deliver();
    const second = await process.deliver();
    await clock.advance(99);
    expect(second.status).toBeUndefined();
    await clock.advance(1);
    expect(second.status).toBe(503);
  });

  it("lets those that wait answer 204 when it is handled", async () => {
    const [one, two] = [start(), start()];
    const first = await one.deliver();
    const others = [await one.deliver(), await two.deliver()];
    await clock.advance(3_000);
    one.works[0]?.succeed();
    await clock.advance(250);
    expect([first, ...others].map(({ status }) => status)).toEqual([204, 204, 204]);
    expect([...one.works, ...two.works]).toHaveLength(1);
  });

  it("does not keep other events waiting", async () => {
    const process = start();
    await process.deliver();
    await process.deliver({ job_id: "job_2" });
    expect(process.works.map(({ event }) => event.job_id)).toEqual(["job_1", "job_2"]);
  });

  it("is taken over by one that waits as soon as its handler has failed", async () => {
    const [one, two] = [start(), start()];
    const first = await one.deliver();
    const second = await two.deliver();
    one.works[0]?.fail();
    await clock.advance(250);
    expect(first.status).toBe(500);
    expect(two.works).toHaveLength(1);
    two.works[0]?.succeed();
    await clock.advance(0);
    expect(second.status).toBe(204);
  });

  it("is taken over by the next delivery at once when its handler has failed", async () => {
    const process = start();
    const first = await process.deliver();
    process.works[0]?.fail();
    await clock.advance(0);
    expect(first.status).toBe(500);
    await process.deliver();
    expect(process.works).toHaveLength(2);
  });

  it("is taken over as soon as the claim of a process that died has run out", async () => {
    const [one, two] = [start(), start()];
    await one.deliver();
    one.die();
    await clock.advance(9_000);
    const second = await two.deliver();
    await clock.advance(5_999);
    expect(two.works).toEqual([]);
    await clock.advance(250);
    expect(two.works).toHaveLength(1);
    two.works[0]?.succeed();
    await clock.advance(0);
    expect(second.status).toBe(204);
  });

  it("stays with a handler of 60 s, whose claim is renewed every 5 s", async () => {
    const [one, two] = [start(), start()];
    const first = await one.deliver();
    for (let at = 0; at < 60_000; at += 10_000) {
      const other = await two.deliver();
      await clock.advance(10_000);
      expect(other.status).toBe(503);
    }
    expect(one.store.count("claim")).toBe(1 + 12);
    one.works[0]?.succeed();
    await clock.advance(0);
    expect(first.status).toBe(204);
    expect(one.works[0]?.context.signal.aborted).toBe(false);
    expect(two.works).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it("leaves no timer behind however it ends", async () => {
    const process = start();
    for (const end of ["succeed", "fail"] as const) {
      await process.deliver({ job_id: end });
      process.works.at(-1)?.[end]();
      await clock.advance(0);
      expect(clock.pending).toBe(0);
    }
  });
});

describe("a store that cannot be reached", () => {
  it("when an event comes is answered 500, and nothing is handled", async () => {
    const process = start();
    process.store.failing.add("claim");
    const first = await process.deliver();
    expect((await first.answer).status).toBe(500);
    expect(await (await first.answer).text()).not.toContain("reached");
    expect(process.works).toEqual([]);
    expect(process.errors).toMatchObject([{ status: 500 }]);
    process.store.failing.clear();
    await process.deliver();
    expect(process.works).toHaveLength(1);
  });

  it("for one renewal loses no claim", async () => {
    const [one, two] = [start(), start()];
    await one.deliver();
    one.store.failing.add("claim");
    await clock.advance(5_000);
    one.store.failing.clear();
    await clock.advance(15_000);
    await two.deliver();
    await clock.advance(8_000);
    expect(two.works).toEqual([]);
    expect(one.works[0]?.context.signal.aborted).toBe(false);
  });

  it.each([
    ["10 s", 5_001, 10_000],
    ["9 s at the worst moment", 4_999, 9_000],
  ])("for %s loses no claim", async (_name, from, span) => {
    const [one, two] = [start(), start()];
    await one.deliver();
    await clock.advance(from);
    one.store.failing.add("claim");
    await clock.advance(span);
    one.store.failing.clear();
    const second = await two.deliver();
    await clock.advance(8_000);
    expect(second.status).toBe(503);
    expect(one.works[0]?.context.signal.aborted).toBe(false);
  });

  it("for good loses the claim, which the handler is told of by its signal", async () => {
    const [one, two] = [start(), start()];
    const first = await one.deliver();
    one.store.failing.add("claim");
    await clock.advance(14_999);
    expect(one.works[0]?.context.signal.aborted).toBe(false);
    await clock.advance(1);
    const { signal } = one.works[0]?.context ?? {};
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toMatchObject({ message: expect.stringContaining("job_1") });
    await two.deliver();
    expect(two.works).toHaveLength(1);
    one.works[0]?.fail();
    await clock.advance(0);
    expect(first.status).toBe(500);
    const third = await two.deliver();
    await clock.advance(8_000);
    expect(third.status).toBe(503);
  });

  it("and does not even fail loses the claim at its end", async () => {
    const [one, two] = [start(), start()];
    await one.deliver();
    one.store.hold("claim");
    await clock.advance(14_999);
    expect(one.works[0]?.context.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(one.works[0]?.context.signal.aborted).toBe(true);
    await two.deliver();
    expect(two.works).toHaveLength(1);
  });

  it("for so long that a claim comes too late is no claim", async () => {
    const [one, two] = [start({ claimWait: 60_000 }), start()];
    const letGo = one.store.hold("claim");
    const first = await one.deliver();
    clock.skip(15_000);
    await two.deliver();
    letGo();
    await clock.advance(1_000);
    expect(two.works).toHaveLength(1);
    expect(one.works).toEqual([]);
    two.works[0]?.succeed();
    await clock.advance(250);
    expect(first.status).toBe(204);
  });

  it("whose claims all come too late answers 503 in the end", async () => {
    const process = start();
    const letGo = process.store.hold("claim");
    const first = await process.deliver();
    const slow: ReceiverStore["claim"] = async (...claim) => {
      const state = await createMemoryStore({ clock }).claim(...claim);
      clock.skip(15_000);
      return state;
    };
    shared.claim = slow;
    letGo();
    await clock.advance(20_000);
    expect(first.status).toBe(503);
    expect(process.works).toEqual([]);
  });

  it("when the handler has failed does not keep the delivery from being answered 500", async () => {
    const [one, two] = [start(), start()];
    const first = await one.deliver();
    one.store.failing.add("release");
    one.works[0]?.fail();
    await clock.advance(0);
    expect(first.status).toBe(500);
    expect(one.errors.map(({ status }) => status)).toEqual([500, 500]);
    await clock.advance(14_750);
    await two.deliver();
    await clock.advance(250);
    expect(two.works).toHaveLength(1);
  });
});

describe("a process that stood still, so that its claim ran out,", () => {
  it("is told so when it goes on, and another delivery may be handled", async () => {
    const [one, two] = [start(), start()];
    await one.deliver();
    clock.skip(15_000);
    await two.deliver();
    expect(two.works).toHaveLength(1);
    await clock.advance(0);
    expect(one.works[0]?.context.signal.aborted).toBe(true);
  });

  it("is told so also when another delivery has failed meanwhile, and the event is free", async () => {
    const [one, two] = [start(), start()];
    await one.deliver();
    clock.skip(15_000);
    await two.deliver();
    two.works[0]?.fail();
    await clock.advance(0);
    expect(one.works[0]?.context.signal.aborted).toBe(true);
    expect(one.store.count("claim")).toBe(1);
  });

  it("and whose renewal is granted after the claim has run out is told so", async () => {
    const process = start();
    await process.deliver();
    const letGo = process.store.hold("claim");
    await clock.advance(5_000);
    clock.skip(15_000);
    letGo();
    await clock.advance(0);
    expect(process.works[0]?.context.signal.aborted).toBe(true);
  });

  it("and went on just in time is told when its renewal finds another's claim", async () => {
    const [one, two] = [start(), start()];
    await one.deliver();
    const letGo = one.store.hold("claim");
    await clock.advance(5_000);
    clock.skip(10_000);
    await two.deliver();
    letGo();
    await clock.advance(0);
    expect(one.works[0]?.context.signal.aborted).toBe(true);
    expect(two.works).toHaveLength(1);
  });

  it("is told at its next renewal where somebody else has handled the event", async () => {
    const process = start();
    await process.deliver();
    await shared.done("tryon.completed:job_1", 3_600_000);
    await clock.advance(4_999);
    expect(process.works[0]?.context.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(process.works[0]?.context.signal.aborted).toBe(true);
  });

  it("but comes to its end leaves the event handled", async () => {
    const [one, two] = [start(), start()];
    const first = await one.deliver();
    clock.skip(15_000);
    one.works[0]?.succeed();
    await clock.advance(0);
    expect(first.status).toBe(204);
    const second = await two.deliver();
    expect((await second.answer).status).toBe(204);
    expect(two.works).toEqual([]);
  });
});

describe("that an event was handled", () => {
  it("is told to the store again after 1 s and after 2 s", async () => {
    const [one, two] = [start(), start()];
    const first = await one.deliver();
    one.store.failing.add("done");
    one.works[0]?.succeed();
    await clock.advance(1_999);
    expect(one.store.count("done")).toBe(2);
    one.store.failing.clear();
    await clock.advance(1);
    expect(first.status).toBe(204);
    expect(one.store.count("done")).toBe(3);
    expect((await (await two.deliver()).answer).status).toBe(204);
    expect(two.works).toEqual([]);
  });

  it("and cannot be told is answered 500, and is all that the next delivery tells", async () => {
    const [one, two] = [start(), start()];
    const first = await one.deliver();
    one.store.failing.add("done");
    one.works[0]?.succeed();
    await clock.advance(2_000);
    expect(first.status).toBe(500);
    expect(one.errors).toMatchObject([{ status: 500 }]);
    one.store.failing.clear();
    await clock.advance(15_000);
    const second = await one.deliver();
    expect((await second.answer).status).toBe(204);
    expect(one.works).toHaveLength(1);
    expect((await (await two.deliver()).answer).status).toBe(204);
    expect(two.works).toEqual([]);
  });

  it("and cannot be told is kept in mind of the 1,000 latest events, and of no more", async () => {
    const process = start();
    process.store.failing.add("done");
    for (let number = 0; number <= 1_000; number += 1) {
      await process.deliver({ job_id: `job_${number}` });
      process.works.at(-1)?.succeed();
    }
    await clock.advance(2_000);
    process.store.failing.clear();
    await clock.advance(15_000);
    expect((await (await process.deliver({ job_id: "job_1" })).answer).status).toBe(204);
    expect(process.works).toHaveLength(1_001);
    await process.deliver({ job_id: "job_0" });
    expect(process.works).toHaveLength(1_002);
  });

  it("keeps its claim while it cannot be told", async () => {
    const [one, two] = [start({ claimTtl: 1_500 }), start({ claimWait: 100 })];
    await one.deliver();
    one.store.failing.add("done");
    one.works[0]?.succeed();
    await clock.advance(1_900);
    await two.deliver();
    await clock.advance(100);
    expect(two.works).toEqual([]);
  });

  it("aborts nothing, also when a renewal finds it done", async () => {
    const process = start();
    const first = await process.deliver();
    const letGo = process.store.hold("claim");
    await clock.advance(5_000);
    process.works[0]?.succeed();
    const done = shared.done.bind(shared);
    shared.done = async (...event) => {
      await done(...event);
      letGo();
      await clock.advance(0);
    };
    expect((await first.answer).status).toBe(204);
    expect(process.works[0]?.context.signal.aborted).toBe(false);
  });

  it("is remembered for dedupeTtl", async () => {
    const process = start({ dedupeTtl: 60_000 });
    await process.deliver();
    process.works[0]?.succeed();
    await clock.advance(59_999);
    expect((await (await process.deliver()).answer).status).toBe(204);
    await clock.advance(1);
    await process.deliver();
    expect(process.works).toHaveLength(2);
  });
});

describe("while the store does not answer", () => {
  it("a claim times out after 9 s with 500, and nothing is handled", async () => {
    const process = start();
    process.store.hold("claim");
    const first = await process.deliver();
    await clock.advance(8_999);
    expect(first.status).toBeUndefined();
    await clock.advance(1);
    expect(first.status).toBe(500);
    expect(process.errors).toMatchObject([
      { error: { message: expect.stringContaining("`claim` within 9000 ms") }, status: 500 },
    ]);
    expect(process.works).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it("the last claim of a delivery that waits times out within 10 s of its arrival", async () => {
    const [one, two] = [start(), start()];
    await one.deliver();
    const second = await two.deliver();
    await clock.advance(7_999);
    two.store.hold("claim");
    await clock.advance(1_001);
    expect(second.status).toBe(500);
    expect(two.works).toEqual([]);
  });

  it("a claim has 1 s after the deadline, when its delivery may wait for longer", async () => {
    const [one, two] = [start(), start({ claimWait: 60_000 })];
    await one.deliver();
    const second = await two.deliver();
    await clock.advance(19_999);
    const letGo = two.store.hold("claim");
    await clock.advance(1_000);
    letGo();
    await clock.advance(0);
    one.works[0]?.succeed();
    await clock.advance(250);
    expect(second.status).toBe(204);
  });

  it("a claim that is granted after its timeout is released", async () => {
    const process = start();
    const letGo = process.store.hold("claim");
    const first = await process.deliver();
    await clock.advance(9_000);
    expect(first.status).toBe(500);
    letGo();
    await clock.advance(1_000);
    const second = await process.deliver();
    expect(process.works).toHaveLength(1);
    process.works[0]?.succeed();
    await clock.advance(0);
    expect(second.status).toBe(204);
  });

  it("one renewal times out, and the next one keeps the claim", async () => {
    const [one, two] = [startPlain(), startPlain()];
    const first = await one.deliver();
    one.store.hold("claim");
    await clock.advance(4_999);
    // The renewal stays without an answer, and later ones get theirs.
    one.store.hold("claim")();
    await clock.advance(10_000);
    const second = await two.deliver();
    expect(one.works[0]?.context.signal.aborted).toBe(false);
    expect(two.works).toEqual([]);
    one.works[0]?.succeed();
    await clock.advance(250);
    expect([first.status, second.status]).toEqual([204, 204]);
  });

  it("`done` is tried three times within 8 s, then the answer is 500", async () => {
    const process = startPlain();
    const first = await process.deliver();
    const letGo = process.store.hold("done");
    process.works[0]?.succeed();
    await clock.advance(7_999);
    expect(first.status).toBeUndefined();
    await clock.advance(1);
    expect(first.status).toBe(500);
    expect(process.store.count("done")).toBe(3);
    expect(process.errors).toMatchObject([
      { error: { message: expect.stringContaining("`done` within 2000 ms") }, status: 500 },
    ]);
    expect(clock.pending).toBe(0);
    letGo();
    const second = await process.deliver();
    expect((await second.answer).status).toBe(204);
    expect(process.works).toHaveLength(1);
  });

  it("`done` ends 9 s after the arrival when the claim was slow", async () => {
    const process = startPlain();
    const letGo = process.store.hold("claim");
    const first = await process.deliver();
    await clock.advance(5_000);
    letGo();
    await clock.advance(0);
    process.store.hold("done");
    process.works[0]?.succeed();
    await clock.advance(3_999);
    expect(first.status).toBeUndefined();
    await clock.advance(1);
    expect(first.status).toBe(500);
  });

  it("`done` ends 2 s after a handler that took longer than the sender waits", async () => {
    const process = startPlain();
    const first = await process.deliver();
    process.store.hold("done");
    await clock.advance(20_000);
    process.works[0]?.succeed();
    await clock.advance(1_999);
    expect(first.status).toBeUndefined();
    await clock.advance(1);
    expect(first.status).toBe(500);
    expect(clock.pending).toBe(0);
  });

  it("a release times out after 2 s with 500, and the next delivery is handled", async () => {
    const [one, two] = [startPlain(), startPlain()];
    const first = await one.deliver();
    one.store.hold("release");
    one.works[0]?.fail();
    await clock.advance(1_999);
    expect(first.status).toBeUndefined();
    await clock.advance(1);
    expect(first.status).toBe(500);
    expect(one.errors.map(({ status }) => status)).toEqual([500, 500]);
    const second = await two.deliver();
    await clock.advance(7_500);
    expect(two.works).toHaveLength(1);
    two.works[0]?.succeed();
    await clock.advance(0);
    expect(second.status).toBe(204);
  });

  it("a renewal delays the answer to a failed handler by 2 s, and is released when it is granted", async () => {
    const [one, two] = [start(), start()];
    const first = await one.deliver();
    const letGo = one.store.hold("claim");
    await clock.advance(5_000);
    one.works[0]?.fail();
    await clock.advance(1_999);
    expect(first.status).toBeUndefined();
    await clock.advance(1);
    expect(first.status).toBe(500);
    // The release follows the time limit of the renewal.
    await clock.advance(3_000);
    expect(one.store.count("release")).toBe(1);
    letGo();
    await clock.advance(0);
    expect(one.store.count("release")).toBe(2);
    await two.deliver();
    expect(two.works).toHaveLength(1);
  });
});

describe("a release", () => {
  it("waits for a renewal that is under way, which is the last one", async () => {
    const [one, two] = [start(), start()];
    const first = await one.deliver();
    const letGo = one.store.hold("claim");
    await clock.advance(5_000);
    one.works[0]?.fail();
    await clock.advance(0);
    expect(one.store.count("release")).toBe(0);
    letGo();
    await clock.advance(0);
    expect(first.status).toBe(500);
    expect(clock.pending).toBe(0);
    await two.deliver();
    expect(two.works).toHaveLength(1);
  });
});
