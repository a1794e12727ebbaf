import type { MockOptions } from "@tryon/mock";
import { describe, expect, it, vi } from "vitest";

import { createProxyService, tryOn } from "../../test/proxy-service.ts";
import { createService, input } from "../../test/service.ts";
import { createQuota, type QuotaOptions, type QuotaStore } from "./index.ts";

const day = 86_400_000;
const hour = 3_600_000;
const request = new Request("https://shop.example");

/** Opens a site whose proxy has a quota, at the start of a UTC day. */
async function openSite(options: QuotaOptions, server: MockOptions = {}) {
  const upstream = createService({ latency: 0, options: { idempotencyHours: 1 }, ...server });
  const limit = createQuota({ clock: upstream.mock.clock, ...options });
  const service = createProxyService({ limit }, {}, upstream);
  const { mock, balance, run, post, ask } = service;
  await mock.clock.advance(day - (mock.clock.now() % day));
  const submit = async (key: string, user = "ada") => {
    const response = await run(post(user, tryOn, { "idempotency-key": key }));
    return [response.status, response.headers.get("retry-after")];
  };
  const read = async (user = "ada") => (await ask(user, "/api/v1/tryon/job_1")).status;
  const paid = async () => (1_000 - ((await balance()) ?? 0)) / 8;
  return { ...service, submit, read, paid };
}

describe("a quota", () => {
  it("counts each key once, and rejects more until the next day", async () => {
    const { submit, paid, mock } = await openSite({ perDay: 2 });
    const accepted = [200, null];
    expect(await submit("one")).toEqual(accepted);
    await mock.clock.advance("26m");
    for (const key of ["one", "two"]) expect(await submit(key)).toEqual(accepted);
    await mock.clock.advance("33m");
    // A rejected key does not count.
    for (const key of ["three", "three"]) expect(await submit(key)).toEqual([429, "82860"]);
    expect(await submit("one", "bob")).toEqual(accepted);
    expect(await paid()).toBe(3);
    await mock.clock.advance("23h");
    expect(await submit("three")).toEqual([429, "60"]);
    await mock.clock.advance("1m");
    expect(await submit("three")).toEqual(accepted);
  });

  it("counts a key again before a service that stores keys for an hour drops it", async () => {
    const { submit, paid, mock } = await openSite({ perDay: 11 });
    for (let round = 0; round < 40; round += 1) {
      expect(await submit("one")).toEqual([200, null]);
      await mock.clock.advance("7m");
    }
    expect(await paid()).toBe(5);
    // It was counted 10 times: every 28 minutes of 280.
    expect(await submit("two")).toEqual([200, null]);
    expect((await submit("three"))[0]).toBe(429);
  });

  it("counts a key again before a slow request finds that the service has dropped it", async () => {
    const server = { options: { idempotencyHours: 0.5 } } as const;
    const { submit, paid, mock, faults } = await openSite({ perDay: 1 }, server);
    await submit("one");
    await mock.clock.advance("29m");
    await mock.clock.advance("50s");
    faults.push({ latency: "20s" });
    expect(await submit("one")).toEqual([429, "84610"]);
    expect(await paid()).toBe(1);
  });

  it("limits reads, so that one user cannot use up the rate limit of the key", async () => {
    const { read, sent, submit, mock } = await openSite({ perDay: 9, perMinute: 20 });
    await submit("one");
    await mock.clock.advance("10s");
    const statuses = [];
    for (let count = 0; count < 59; count += 1) statuses.push(await read());
    expect(statuses.filter((status) => status === 404)).toHaveLength(19);
    expect(statuses.slice(19).every((status) => status === 429)).toBe(true);
    expect(await submit("two")).toEqual([429, "50"]);
    expect(sent.length).toBeLessThanOrEqual(20);
    expect((await submit("one", "bob"))[0]).toBe(200);
    await mock.clock.advance("50s");
    expect([await read(), ...(await submit("two"))]).toEqual([404, 200, null]);
  });

  it("delays a page that polls too often, until it has its result", async () => {
    const { page, run, responses } = await openSite(
      { perDay: 1, perMinute: 2 },
      { latency: "40s" },
    );
    const { job } = await run(page("ada").run(input, { sync: false }));
    expect(job.status).toBe("succeeded");
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429, 200]);
  });

  it("counts in a store that several processes share", async () => {
    const counters = new Map<string, number>();
    const ttls: number[] = [];
    const store: QuotaStore = {
      get: async (key) => counters.get(key) ?? 0,
      increment: async (key, ttl) => {
        ttls.push(ttl);
        counters.set(key, (counters.get(key) ?? 0) + 1);
        return counters.get(key) ?? 0;
      },
    };
    const clock = { now: () => 10 * day + 5_000 };
    const quotas = [1, 2].map(() => createQuota({ perDay: 5, store, clock }));
    const call = { user: { id: "ada" }, kind: "submit", request } as const;
    const verdicts = await Promise.all(
      Array.from({ length: 20 }, async (_, index) =>
        quotas[index % 2]?.({ ...call, idempotencyKey: `key ${index}` }),
      ),
    );
    expect(verdicts.filter((verdict) => verdict === true)).toHaveLength(5);
    expect(verdicts.find((verdict) => verdict !== true)).toEqual({ retryAfter: 86_395 });
    expect(new Set(ttls)).toEqual(new Set([115_000, 10_000, 2 * day - 5_000, 1_620_000]));
  });

  it.each([
    ["the date goes on", 0, 0, true],
    ["the date is set back to the last day", -hour, 0, { retryAfter: 3_000 }],
    [
      "the date is set back, with the monotonic time of a sleeping machine",
      -hour,
      -hour,
      { retryAfter: 3_000 },
    ],
  ])(
    "allows after midnight what remains if %s",
    async (_how, dateChange, monotonicChange, after) => {
      const midnight = 10 * day;
      const time = { date: midnight - 600_000, monotonic: hour };
      const clock = { now: () => time.date, monotonic: () => time.monotonic };
      const quota = createQuota({ perDay: 1, clock });
      const submit = (idempotencyKey: string) =>
        quota({ user: { id: "ada" }, kind: "submit", request, idempotencyKey });
      expect([await submit("one"), await submit("two")]).toEqual([true, { retryAfter: 600 }]);
      time.date = midnight + 600_000 + dateChange;
      time.monotonic += hour + monotonicChange;
      expect(await submit("three")).toEqual(after);
    },
  );

  it.each([
    ["27 minutes on a date that was set back", -hour, 27 * 60_000],
    ["27 minutes of sleep", 27 * 60_000, 0],
  ])("counts a repeated submission again after %s", async (_how, dateChange, monotonicChange) => {
    const time = { date: 10 * day + 12 * hour, monotonic: 0 };
    const clock = { now: () => time.date, monotonic: () => time.monotonic };
    const quota = createQuota({ perDay: 2, clock });
    const submit = () =>
      quota({ user: { id: "ada" }, kind: "submit", request, idempotencyKey: "order-17" });
    const verdicts = [await submit(), await submit()];
    time.date += dateChange;
    time.monotonic += monotonicChange;
    verdicts.push(await submit(), await submit());
    time.date += dateChange;
    time.monotonic += monotonicChange;
    verdicts.push(await submit());
    expect(verdicts.map((verdict) => verdict === true)).toEqual([true, true, true, true, false]);
  });

  const wrongCounts = [undefined, null, false, true, [], [1], {}, "", "1", Number.NaN, -1, 0.5];
  const counting: QuotaStore = { get: async () => 0, increment: async () => 1 };
  it.each(
    [...wrongCounts, Infinity, 1n]
      .flatMap((value) => [["increment", value] as const, ["get", value] as const])
      .concat([["increment", 0]]),
  )("rejects requests if the method %s of its store returns %o", async (method, value) => {
    const store: QuotaStore = { ...counting, [method]: async () => value };
    const { submit, sent, reported } = await openSite({ perDay: 5, store });
    expect(await submit("one")).toEqual([503, null]);
    expect(String(reported.at(-1)?.cause)).toContain(`The method ${method} of the quota store`);
    expect(sent).toEqual([]);
  });

  it("counts copies of one key once that arrive at the same time", async () => {
    const { submit, paid } = await openSite({ perDay: 3 });
    const keys = [...Array<string>(9).fill("one"), "two", "three", "four", "four"];
    const statuses = await Promise.all(keys.map(async (key) => (await submit(key))[0]));
    expect(statuses).toEqual([...Array<number>(11).fill(200), 429, 429]);
    expect(await paid()).toBe(3);
  });

  it("allows none of the copies of a key over the quota", async () => {
    const { submit, paid, mock } = await openSite({ perDay: 1 });
    await submit("one");
    const copies = () => Promise.all([1, 2, 3].map(async () => (await submit("two"))[0]));
    expect(await copies()).toEqual([429, 429, 429]);
    await mock.clock.advance("11s");
    expect(await copies()).toEqual([429, 429, 429]);
    expect(await paid()).toBe(1);
  });

  it("removes expired counters, and no others", async () => {
    const maps: Map<unknown, unknown>[] = [];
    class KnownMap<Key, Value> extends Map<Key, Value> {
      constructor() {
        super();
        maps.push(this);
      }
    }
    vi.stubGlobal("Map", KnownMap);
    let now = 0;
    const quota = createQuota({ perDay: 1, clock: { now: () => now } });
    vi.unstubAllGlobals();
    const submitAll = async (idempotencyKey: string) => {
      const verdicts = new Set<boolean>();
      for (let user = 0; user < 500; user += 1) {
        const call = { user: { id: `${user}` }, kind: "submit", request } as const;
        verdicts.add((await quota({ ...call, idempotencyKey })) === true);
      }
      return [...verdicts];
    };
    expect([await submitAll("one"), await submitAll("two")]).toEqual([[true], [false]]);
    now = 3 * day;
    expect(await submitAll("two")).toEqual([true]);
    // Four counters of each user.
    expect(Math.max(...maps.map(({ size }) => size))).toBe(2_000);
  });
});
