import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../index.ts";
import type { ClaimState, ReceiverStore } from "../index.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { storeSuite } from "../../test/store-suite.ts";

describe("the memory store", () => {
  storeSuite(() => {
    const clock = new ManualClock();
    return { clients: [createMemoryStore({ clock })], pass: (span) => clock.advance(span) };
  });
});

it("expires claims and done events at the exact millisecond", async () => {
  const clock = new ManualClock();
  const store = createMemoryStore({ clock });
  await store.claim("a", "one", 1_000);
  await store.done("b", 1_000);
  clock.skip(999);
  expect(await store.claim("a", "two", 10)).toBe("open");
  expect(await store.claim("b", "two", 10)).toBe("done");
  clock.skip(1);
  expect(await store.claim("a", "two", 10)).toBe("claimed");
  expect(await store.claim("b", "two", 10)).toBe("claimed");
});

it("removes the oldest handled event above maxEvents", async () => {
  const store = createMemoryStore({ maxEvents: 3, clock: new ManualClock() });
  for (const key of ["a", "b", "c", "a", "d"]) await store.done(key, 1_000);
  const states = ["a", "b", "c", "d"].map((key) => store.claim(key, "one", 1_000));
  expect(await Promise.all(states)).toEqual(["done", "claimed", "done", "done"]);
});

it("keeps every claim above maxEvents", async () => {
  const store = createMemoryStore({ maxEvents: 1, clock: new ManualClock() });
  for (let index = 0; index < 50; index += 1) await store.claim(`open ${index}`, "one", 1_000);
  for (let index = 0; index < 50; index += 1) await store.done(`done ${index}`, 1_000);
  for (let index = 0; index < 50; index += 1) {
    expect(await store.claim(`open ${index}`, "two", 1_000)).toBe("open");
  }
});

it.each([0, -1, 1.5, Number.NaN, Infinity])("rejects a maxEvents of %s by name", (maxEvents) => {
  expect(() => createMemoryStore({ maxEvents })).toThrow(/^maxEvents: must be a positive integer/);
});

it("works without options on the clock of the runtime", async () => {
  const store = createMemoryStore();
  expect(await store.claim("a", "one", 60_000)).toBe("claimed");
  expect(await store.claim("a", "two", 60_000)).toBe("open");
});

/** Model of a store: a table with one row for each key. */
class Model {
  readonly #rows = new Map<string, { readonly owner: string | null; readonly until: number }>();

  claim(key: string, owner: string, ttl: number, now: number): ClaimState {
    const row = this.#rows.get(key);
    if (row !== undefined && row.until > now && row.owner !== owner) {
      return row.owner === null ? "done" : "open";
    }
    this.#rows.set(key, { owner, until: now + ttl });
    return "claimed";
  }

  done(key: string, ttl: number, now: number): void {
    this.#rows.set(key, { owner: null, until: now + ttl });
  }

  release(key: string, owner: string): void {
    if (this.#rows.get(key)?.owner === owner) this.#rows.delete(key);
  }
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
    const store: ReceiverStore = createMemoryStore({ clock });
    const model = new Model();
    const states: ClaimState[] = [];
    const expected: ClaimState[] = [];
    for (const one of steps) {
      if (one.kind === "pass") clock.skip(one.span);
      if (one.kind === "done") {
        await store.done(one.key, one.ttl);
        model.done(one.key, one.ttl, clock.now());
      }
      if (one.kind === "release") {
        await store.release(one.key, one.owner);
        model.release(one.key, one.owner);
      }
      if (one.kind === "claim") {
        states.push(await store.claim(one.key, one.owner, one.ttl));
        expected.push(model.claim(one.key, one.owner, one.ttl, clock.now()));
      }
    }
    expect(states).toEqual(expected);
  });
  await fc.assert(property, { numRuns: 500 });
});
