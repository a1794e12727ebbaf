import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryStore, type ReceiverStore } from "../index.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { storeSuite } from "../../test/store-suite.ts";

describe("the memory store", () => {
  storeSuite(() => {
    const clock = new ManualClock();
    return { clients: [createMemoryStore({ clock })], pass: (span) => clock.advance(span) };
  });
});

it("keeps the newest handled events up to maxEvents, in any order of many events", async () => {
  const [maxEvents, clock] = [150, new ManualClock()];
  const store = createMemoryStore({ maxEvents, clock });
  let kept: number[] = [];
  const keyOf = fc.integer({ min: 0, max: 400 });
  for (const key of fc.sample(keyOf, { numRuns: 3_000, seed: 1 })) {
    await store.done(`event ${key}`, 1_000);
    kept = [...kept.filter((other) => other !== key), key].slice(-maxEvents);
  }
  const isKept = async (key: number) => (await store.claim(`event ${key}`, "one", 1)) === "done";
  const states = await Promise.all(Array.from({ length: 401 }, (_, key) => isKept(key)));
  const expected = Array.from({ length: 401 }, (_, key) => kept.includes(key));
  expect(states).toEqual(expected);
});

it("keeps every claim above maxEvents", async () => {
  const store = createMemoryStore({ maxEvents: 1, clock: new ManualClock() });
  for (let index = 0; index < 50; index += 1) await store.claim(`open ${index}`, "one", 1_000);
  for (let index = 0; index < 50; index += 1) await store.done(`done ${index}`, 1_000);
  for (let index = 0; index < 50; index += 1) {
    expect(await store.claim(`open ${index}`, "two", 1_000)).toBe("open");
  }
});

it("works without options on the clock of the runtime", async () => {
  const store = createMemoryStore();
  expect(await store.claim("a", "one", 60_000)).toBe("claimed");
  expect(await store.claim("a", "two", 60_000)).toBe("open");
});

/** Model of a store: a table with one row for each key. */
function createTable(clock: ManualClock): ReceiverStore {
  const rows = new Map<string, { readonly owner: string | null; readonly until: number }>();
  return {
    async claim(key, owner, ttl) {
      const row = rows.get(key);
      if (row !== undefined && row.until > clock.now() && row.owner !== owner) {
        return row.owner === null ? "done" : "open";
      }
      rows.set(key, { owner, until: clock.now() + ttl });
      return "claimed";
    },
    async done(key, ttl) {
      rows.set(key, { owner: null, until: clock.now() + ttl });
    },
    async release(key, owner) {
      if (rows.get(key)?.owner === owner) rows.delete(key);
    },
  };
}

const key = fc.constantFrom("a", "b", "c");
const owner = fc.constantFrom("one", "two", "three");
const ttl = fc.integer({ min: 1, max: 50 });
const step = fc.oneof(
  fc.record({ kind: fc.constant("claim" as const), key, owner, ttl }),
  fc.record({ kind: fc.constant("done" as const), key, ttl }),
  fc.record({ kind: fc.constant("release" as const), key, owner }),
  fc.record({ kind: fc.constant("pass" as const), span: fc.nat(40) }),
);

it("behaves like a table with one row for each key, for any calls", async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
    const clock = new ManualClock();
    const stores = [createMemoryStore({ clock }), createTable(clock)];
    for (const one of steps) {
      if (one.kind === "pass") clock.skip(one.span);
      const results: unknown[] = [];
      for (const store of stores) {
        if (one.kind === "done") await store.done(one.key, one.ttl);
        if (one.kind === "release") await store.release(one.key, one.owner);
        if (one.kind === "claim") results.push(await store.claim(one.key, one.owner, one.ttl));
      }
      expect(results[0]).toBe(results[1]);
    }
  });
  await fc.assert(property, { numRuns: 500 });
});
