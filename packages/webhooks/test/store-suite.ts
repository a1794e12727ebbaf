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

/** Tests the behavior of every store, with keys that no other test uses. */
export function storeSuite(open: () => StoreUnderTest | Promise<StoreUnderTest>): void {
  let clients: StoreUnderTest["clients"];
  let store: ReceiverStore;
  let pass: NonNullable<StoreUnderTest["pass"]>;
  let key: string;
  beforeEach(async () => {
    ({ clients, pass = () => undefined } = await open());
    [store] = clients;
    key = `tryon.completed:job_${(keys += 1)}`;
  });

  /** Resolves when all that was stored for `short` before has expired. */
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

    test("expires without a renewal", async () => {
      expect(await store.claim(key, "one", short)).toBe("claimed");
      await pass(short);
      await expect.poll(() => store.claim(key, "two", long), { interval: 10 }).toBe("claimed");
    });

    test("lasts from its last renewal", async () => {
      await store.claim(key, "one", short);
      expect(await store.claim(key, "one", long)).toBe("claimed");
      await expire();
      expect(await store.claim(key, "two", long)).toBe("open");
      expect(await store.claim(key, "one", short)).toBe("claimed");
      await expire();
      expect(await store.claim(key, "two", long)).toBe("claimed");
    });

    test("that has expired can be renewed if no other owner has it", async () => {
      await store.claim(key, "one", short);
      await expire();
      expect(await store.claim(key, "one", long)).toBe("claimed");
      expect(await store.claim(key, "two", long)).toBe("open");
    });

    test("can last 30 days, and so can a done event", async () => {
      const month = 30 * 86_400_000;
      await store.claim(key, "one", month);
      await store.done(`${key}:done`, month);
      await expire();
      expect(await store.claim(key, "two", month)).toBe("open");
      expect(await store.claim(`${key}:done`, "two", month)).toBe("done");
    });

    test("can last a fraction of a millisecond", async () => {
      expect(await store.claim(key, "one", 1_500.25)).toBe("claimed");
      await store.done(key, 3_600_000.5);
      expect(await store.claim(key, "one", 0.5)).toBe("done");
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

  describe("a release", () => {
    test("allows the next claim", async () => {
      await store.claim(key, "one", long);
      await store.release(key, "one");
      expect(await store.claim(key, "two", long)).toBe("claimed");
    });

    test("by another owner has no effect", async () => {
      await store.claim(key, "one", long);
      await store.release(key, "two");
      expect(await store.claim(key, "two", long)).toBe("open");
    });

    test("of an expired claim does not remove the claim of the next owner", async () => {
      await store.claim(key, "one", short);
      await expire();
      await store.claim(key, "two", long);
      await store.release(key, "one");
      expect(await store.claim(key, "three", long)).toBe("open");
    });

    test("does not remove a done event", async () => {
      await store.claim(key, "one", long);
      await store.done(key, long);
      await store.release(key, "one");
      expect(await store.claim(key, "two", long)).toBe("done");
    });

    test("without a claim has no effect", async () => {
      await store.release(key, "one");
      expect(await store.claim(key, "two", long)).toBe("claimed");
    });
  });

  describe("a done event", () => {
    test("is done for 200 concurrent owners, including that of its claim", async () => {
      await store.claim(key, "owner 0", long);
      await store.done(key, long);
      expect(new Set(await claims(owners, long))).toEqual(new Set(["done"]));
    });

    test("outlasts its claim", async () => {
      await store.claim(key, "one", short);
      await store.done(key, long);
      await expire();
      expect(await store.claim(key, "two", long)).toBe("done");
    });

    test("needs no claim", async () => {
      await store.done(key, long);
      expect(await store.claim(key, "one", long)).toBe("done");
    });

    test("is done although its claim has expired and another owner has one", async () => {
      await store.claim(key, "one", short);
      await expire();
      expect(await store.claim(key, "two", long)).toBe("claimed");
      await store.done(key, long);
      expect(await store.claim(key, "two", long)).toBe("done");
      await store.release(key, "two");
      expect(await store.claim(key, "three", long)).toBe("done");
    });

    test("lasts from its last call of done", async () => {
      await store.done(key, short);
      await store.done(key, long);
      await expire();
      expect(await store.claim(key, "one", long)).toBe("done");
    });

    test("expires", async () => {
      await store.done(key, short);
      await expire();
      expect(await store.claim(key, "one", long)).toBe("claimed");
      expect(await store.claim(key, "two", long)).toBe("open");
    });
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
