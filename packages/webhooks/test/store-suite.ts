import { beforeEach, describe, expect, test } from "vitest";

import type { ClaimState, ReceiverStore } from "../src/receiver/store.ts";

export interface StoreUnderTest {
  /** Clients of the same store, each with its own connection. */
  readonly clients: readonly [ReceiverStore, ...ReceiverStore[]];
  /** Advances the clock of the store. Leave it out for a real clock. */
  readonly pass?: (milliseconds: number) => unknown;
}

/** Milliseconds, short enough to wait for with a real clock. */
const short = 40;
const long = 3_600_000;

let keys = 0;
let probes = 0;

/** One call for an event, and the state that it must return. */
type Step = (event: {
  readonly store: ReceiverStore;
  readonly key: string;
  /** Resolves when all that was stored for `short` before has expired. */
  readonly expire: () => Promise<void>;
}) => Promise<unknown>;

const claiming =
  (state: ClaimState) =>
  (owner: string, ttl = long): Step =>
  async ({ store, key }) =>
    expect(await store.claim(key, owner, ttl)).toBe(state);
const [claimed, open, isDone] = [claiming("claimed"), claiming("open"), claiming("done")];
const done =
  (ttl = long): Step =>
  ({ store, key }) =>
    store.done(key, ttl);
const release =
  (owner: string): Step =>
  ({ store, key }) =>
    store.release(key, owner);
const expired: Step = ({ expire }) => expire();
const month = 30 * 86_400_000;

const expiredClaim = [claimed("one", short), expired];

const histories: Readonly<Record<string, readonly Step[]>> = {
  "a claim expires without a renewal": [...expiredClaim, claimed("two")],
  "a renewal lets a claim last": [claimed("one", short), claimed("one"), expired, open("two")],
  "a renewal lets a claim end": [claimed("one"), ...expiredClaim, claimed("two")],
  "an expired claim can be renewed": [...expiredClaim, claimed("one"), open("two")],
  "a claim can last 30 days": [claimed("one", month), expired, open("two", month)],
  "a done event can last 30 days": [done(month), expired, isDone("two", month)],
  "times can have fractions": [claimed("one", 1_500.25), done(3_600_000.5), isDone("one", 0.5)],
  "a release allows the next claim": [claimed("one"), release("one"), claimed("two")],
  "a release by another owner has no effect": [claimed("one"), release("two"), open("two")],
  "a release does not remove the claim of the next owner": [
    ...expiredClaim,
    claimed("two"),
    release("one"),
    open("three"),
  ],
  "a release does not remove a done event": [claimed("one"), done(), release("one"), isDone("two")],
  "a release without a claim has no effect": [release("one"), claimed("two")],
  "a done event outlasts its claim": [claimed("one", short), done(), expired, isDone("two")],
  "a done event needs no claim": [done(), isDone("one")],
  "an event is done although another owner has a claim": [
    ...expiredClaim,
    claimed("two"),
    done(),
    isDone("two"),
    release("two"),
    isDone("three"),
  ],
  "a done event lasts from its last call of done": [done(short), done(), expired, isDone("one")],
  "a done event expires": [done(short), expired, claimed("one"), open("two")],
};

/** Tests the behavior of every store, with keys that no other test uses. */
export function storeSuite(create: () => StoreUnderTest | Promise<StoreUnderTest>): void {
  let clients: StoreUnderTest["clients"];
  let store: ReceiverStore;
  let pass: NonNullable<StoreUnderTest["pass"]>;
  let key: string;
  beforeEach(async () => {
    ({ clients, pass = () => undefined } = await create());
    [store] = clients;
    key = `tryon.completed:job_${(keys += 1)}`;
  });

  const expire = async (): Promise<void> => {
    const probe = `${key}:probe ${(probes += 1)}`;
    await store.claim(probe, "one", short);
    await pass(short);
    await expect.poll(() => store.claim(probe, "two", long), { interval: 10 }).toBe("claimed");
  };

  const claims = (owners: readonly string[], ttl: number): Promise<ClaimState[]> =>
    Promise.all(
      owners.map((owner, index) =>
        (clients[index % clients.length] ?? store).claim(key, owner, ttl),
      ),
    );
  const owners = Array.from({ length: 200 }, (_unused, index) => `owner ${index}`);

  describe("a claim", () => {
    test("is granted to one of 200 concurrent owners", async () => {
      const states = await claims(owners, long);
      expect(states.filter((state) => state === "claimed")).toHaveLength(1);
      expect(states.filter((state) => state === "open")).toHaveLength(199);
      expect(await store.claim(key, `owner ${states.indexOf("claimed")}`, long)).toBe("claimed");
    });

    test("that has expired is granted to one of 200 concurrent owners", async () => {
      await store.claim(key, "the crashed one", short);
      await expire();
      const states = await claims(owners, long);
      expect(states.filter((state) => state === "claimed")).toHaveLength(1);
      expect(await store.claim(key, "the crashed one", long)).toBe("open");
    });

    test("works for an owner of any name", async () => {
      for (const [index, owner] of ["done", "open", "claimed", "null", "'; --"].entries()) {
        const own = `${key}:${index}`;
        expect(await store.claim(own, owner, long)).toBe("claimed");
        expect(await store.claim(own, "another", long)).toBe("open");
        await store.release(own, owner);
        expect(await store.claim(own, "another", long)).toBe("claimed");
      }
    });
  });

  describe("a done event", () => {
    test("is done for 200 concurrent owners, including that of its claim", async () => {
      await store.claim(key, "owner 0", long);
      await store.done(key, long);
      expect(new Set(await claims(owners, long))).toEqual(new Set(["done"]));
    });
  });

  test.each(Object.entries(histories))("%s", async (_title, steps) => {
    expect.hasAssertions();
    for (const step of steps) await step({ store, key, expire });
  });

  test("distinguishes keys of any characters", async () => {
    const characters = Array.from(" \0\u0001\n'\"\\%_*?aé\u00c9\u{1f457}\ufffd");
    const surrogates = ["\ud83d", "\udc57"];
    const texts = ["", "  ", "\\u0000", "e\u0301", "{a}", "a:b", "x".repeat(255), "x".repeat(256)];
    for (const [index, name] of [...characters, ...surrogates, ...texts].entries()) {
      const own = `${key}${name}:`;
      expect(await store.claim(own, `one ${index}`, long), JSON.stringify(name)).toBe("claimed");
      expect(await store.claim(own, "another", long)).toBe("open");
    }
  });
}
