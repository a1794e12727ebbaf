import { beforeEach, describe, expect, test } from "vitest";

import { createQuota, type QuotaStore } from "../src/proxy/index.ts";
import { createRefusalProxy } from "./refusal-proxy.ts";

/** Milliseconds, short enough to wait for with a real clock. */
const short = 40;
const long = 3_600_000;

let keys = 0;

/** Tests the behavior of every quota store, over several connections to the same one. */
export function quotaSuite(open: () => readonly [QuotaStore, ...QuotaStore[]]): void {
  let stores: ReturnType<typeof open>;
  let store: QuotaStore;
  let key: string;
  beforeEach(() => {
    stores = open();
    [store] = stores;
    key = `counter ${(keys += 1)}`;
  });
  const each = <Result>(count: number, call: (store: QuotaStore, index: number) => Result) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        call(stores[index % stores.length] ?? store, index),
      ),
    );

  describe("a counter", () => {
    test("counts each of 200 concurrent increments once", async () => {
      const counts = await each(200, (one) => one.increment(key, long));
      expect(counts.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 200 }, (_, index) => index + 1),
      );
      expect(await each(stores.length, (one) => one.get(key))).toEqual(stores.map(() => 200));
    });

    test("is 0 before its first increment, and reading it does not create it", async () => {
      expect(await store.get(key)).toBe(0);
      expect(await store.get(key)).toBe(0);
      expect(await store.increment(key, long)).toBe(1);
      expect(await store.get(key)).toBe(1);
    });

    test("expires although it was incremented, and starts at 0 again", async () => {
      // Long enough for the second increment, also on a busy machine.
      await store.increment(key, 10 * short);
      await store.increment(key, long);
      await expect.poll(() => store.get(key), { interval: 10 }).toBe(0);
      expect(await store.increment(key, long)).toBe(1);
      expect(await store.increment(key, long)).toBe(2);
    });

    test("that has expired unread is counted from 1 by one of 200 increments", async () => {
      await store.increment(key, short);
      await store.increment(`${key}:probe`, short);
      await expect.poll(() => store.get(`${key}:probe`), { interval: 10 }).toBe(0);
      const counts = await each(200, (one) => one.increment(key, long));
      expect(counts.filter((count) => count === 1)).toHaveLength(1);
      expect(await store.get(key)).toBe(200);
    });

    test("lasts 30 days, or longer than a fraction of a millisecond", async () => {
      expect(await store.increment(key, 30 * 86_400_000)).toBe(1);
      expect(await store.increment(`${key}:fraction`, 3_600_000.25)).toBe(1);
      expect([await store.get(key), await store.get(`${key}:fraction`)]).toEqual([1, 1]);
    });
  });

  test("distinguishes users of any name", async () => {
    const users = [
      "",
      " ",
      "\0",
      "'; --",
      "%",
      "é",
      "e\u0301",
      "\ud83d",
      "\udc57",
      "x".repeat(500),
    ];
    for (const user of users) {
      const own = JSON.stringify([key, user]);
      expect([await store.get(own), await store.increment(own, long)], own).toEqual([0, 1]);
    }
  });

  /** Returns a function that submits to one of several servers with a quota. */
  const createServers = (perDay: number) => {
    const request = new Request("https://shop.example");
    const call = { user: { id: key }, kind: "submit", request } as const;
    const quotas = stores.map((one) =>
      createQuota({ perDay, perMinute: 1_000, store: one, clock: { now: () => 0 } }),
    );
    return (index: number, idempotencyKey: string) =>
      quotas[index % quotas.length]?.({ ...call, idempotencyKey });
  };

  test("counts copies of a key once that arrive at several servers at once", async () => {
    const submit = createServers(2);
    const copies = await each(100, (_, index) => submit(index, "one"));
    const others = copies.filter((verdict) => verdict !== true);
    expect(others.length).toBeLessThan(100);
    // These processes repeat the request after a second.
    expect(others).toEqual(others.map(() => ({ retryAfter: 1 })));
    expect(await each(9, (_, index) => submit(index, "one"))).toEqual(Array(9).fill(true));
    expect(await submit(1, "two")).toBe(true);
    expect(await submit(2, "three")).toEqual({ retryAfter: 86_400 });
    expect(await submit(3, "three")).toEqual({ retryAfter: 86_400 });
  });

  test("allows all servers together the quota, and a repeated key at once", async () => {
    const submit = createServers(10);
    const allowed = await each(100, (_, index) => submit(index, `key ${index}`));
    expect(allowed.filter((verdict) => verdict === true)).toHaveLength(10);
    const repeated = await each(100, (_, index) => submit(index + 1, `key ${index}`));
    expect(repeated.map((verdict) => verdict === true)).toEqual(
      allowed.map((verdict) => verdict === true),
    );
  });

  test("counts the refusals of all servers together, each job once, until they expire", async () => {
    const clock = { time: 0, now: () => clock.time };
    const counts: number[] = [];
    const onRefusal = ({ count }: { readonly count: number }) => void counts.push(count);
    const proxies = stores.map((one) => createRefusalProxy({ store: one, clock, onRefusal }));
    const user = { id: key };
    const [first] = proxies;
    if (!first) throw new Error("The store is missing.");
    const statuses = () => Promise.all(proxies.map((proxy) => proxy.submit(user.id)));
    expect(new Set(await statuses())).toEqual(new Set([200]));
    // Each of these 5 jobs is reported 20 times.
    const reports = await each(100, (_, index) =>
      (proxies[index % proxies.length] ?? first).report(user.id, `job_${keys}n${index % 5}`),
    );
    expect(reports.filter(Boolean)).toHaveLength(5);
    expect(counts.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(await statuses())).toEqual(new Set([429]));
    expect(await first.submit(`${user.id} of another user`)).toBe(200);
    clock.time += 1.25 * long;
    expect(new Set(await statuses())).toEqual(new Set([200]));
  });
}
