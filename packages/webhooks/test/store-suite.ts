import { beforeEach, describe, expect, test } from "vitest";

import type { ClaimState, ReceiverStore } from "../src/receiver/store.ts";

/** A store as several receivers have it. */
export interface StoreUnderTest {
  /** Clients of the same store, each with a connection of its own; the same one, if there is one. */
  readonly clients: readonly [ReceiverStore, ...ReceiverStore[]];
  /** Moves the store's clock. One that runs by itself is waited for. */
  readonly pass?: (milliseconds: number) => unknown;
}

/** Short enough to wait for, where the clock is the store's own. */
const short = 40;
const long = 3_600_000;

let keys = 0;
let probes = 0;

/** What every store has to do, on keys that no other test has. */
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

  /** Resolves once whatever was given `short` before this call has run out. */
  const runOut = async (): Promise<void> => {
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
    test("is given to one of 200 that ask at once, and keeps the others out", async () => {
      const states = await claims(owners, long);
      expect(states.filter((state) => state === "claimed")).toHaveLength(1);
      expect(states.filter((state) => state === "open")).toHaveLength(199);
      expect(await store.claim(key, `owner ${states.indexOf("claimed")}`, long)).toBe("claimed");
    });

    test("that ran out is given to one of 200 that ask at once", async () => {
      await store.claim(key, "the dead one", short);
      await runOut();
      const states = await claims(owners, long);
      expect(states.filter((state) => state === "claimed")).toHaveLength(1);
      expect(await store.claim(key, "the dead one", long)).toBe("open");
    });

    test("that is not renewed runs out by itself", async () => {
      expect(await store.claim(key, "one", short)).toBe("claimed");
      await pass(short);
      await expect.poll(() => store.claim(key, "two", long), { interval: 10 }).toBe("claimed");
    });

    test("lasts from its renewal on", async () => {
      await store.claim(key, "one", short);
      expect(await store.claim(key, "one", long)).toBe("claimed");
      await runOut();
      expect(await store.claim(key, "two", long)).toBe("open");
      expect(await store.claim(key, "one", short)).toBe("claimed");
      await runOut();
      expect(await store.claim(key, "two", long)).toBe("claimed");
    });

    test("that ran out and that nobody took can be renewed", async () => {
      await store.claim(key, "one", short);
      await runOut();
      expect(await store.claim(key, "one", long)).toBe("claimed");
      expect(await store.claim(key, "two", long)).toBe("open");
    });

    test("lasts 30 days if it is to, and so does what is done", async () => {
      const month = 30 * 86_400_000;
      await store.claim(key, "one", month);
      await store.done(`${key}:done`, month);
      await runOut();
      expect(await store.claim(key, "two", month)).toBe("open");
      expect(await store.claim(`${key}:done`, "two", month)).toBe("done");
    });

    test("may last a part of a millisecond", async () => {
      expect(await store.claim(key, "one", 1_500.25)).toBe("claimed");
      await store.done(key, 3_600_000.5);
      expect(await store.claim(key, "one", 0.5)).toBe("done");
    });

    test("of an owner by any name is a claim", async () => {
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
    test("lets the next one in at once", async () => {
      await store.claim(key, "one", long);
      await store.release(key, "one");
      expect(await store.claim(key, "two", long)).toBe("claimed");
    });

    test("by another than the owner does nothing", async () => {
      await store.claim(key, "one", long);
      await store.release(key, "two");
      expect(await store.claim(key, "two", long)).toBe("open");
    });

    test("by an owner whose claim ran out does not touch the one who took it", async () => {
      await store.claim(key, "one", short);
      await runOut();
      await store.claim(key, "two", long);
      await store.release(key, "one");
      expect(await store.claim(key, "three", long)).toBe("open");
    });

    test("does not undo what is done", async () => {
      await store.claim(key, "one", long);
      await store.done(key, long);
      await store.release(key, "one");
      expect(await store.claim(key, "two", long)).toBe("done");
    });

    test("of what nobody claimed does nothing", async () => {
      await store.release(key, "one");
      expect(await store.claim(key, "two", long)).toBe("claimed");
    });
  });

  describe("what is done", () => {
    test("is done for all of 200 that ask at once, its own claim included", async () => {
      await store.claim(key, "owner 0", long);
      await store.done(key, long);
      expect(new Set(await claims(owners, long))).toEqual(new Set(["done"]));
    });

    test("outlives the claim", async () => {
      await store.claim(key, "one", short);
      await store.done(key, long);
      await runOut();
      expect(await store.claim(key, "two", long)).toBe("done");
    });

    test("need not have been claimed", async () => {
      await store.done(key, long);
      expect(await store.claim(key, "one", long)).toBe("done");
    });

    test("is done although the claim ran out and another holds one", async () => {
      await store.claim(key, "one", short);
      await runOut();
      expect(await store.claim(key, "two", long)).toBe("claimed");
      await store.done(key, long);
      expect(await store.claim(key, "two", long)).toBe("done");
      await store.release(key, "two");
      expect(await store.claim(key, "three", long)).toBe("done");
    });

    test("twice is remembered from the second time on", async () => {
      await store.done(key, short);
      await store.done(key, long);
      await runOut();
      expect(await store.claim(key, "one", long)).toBe("done");
    });

    test("is forgotten in the end", async () => {
      await store.done(key, short);
      await runOut();
      expect(await store.claim(key, "one", long)).toBe("claimed");
      expect(await store.claim(key, "two", long)).toBe("open");
    });
  });

  test("keys of any characters are told apart", async () => {
    const odd = [
      "",
      " ",
      "  ",
      "\0",
      "\u0001",
      "\n",
      "'",
      '"',
      "\\",
      "\\u0000",
      "%",
      "_",
      "*",
      "?",
    ];
    const wide = [
      "é",
      "e\u0301",
      "É",
      "\u{1F457}",
      "\ud83d",
      "\udc57",
      "\ufffd",
      "{a}",
      "a:b",
      "a",
    ];
    const long255 = ["x".repeat(255), "x".repeat(256)];
    for (const [index, name] of [...odd, ...wide, ...long255].entries()) {
      const own = `${key}${name}:`;
      expect(await store.claim(own, `one ${index}`, long), JSON.stringify(name)).toBe("claimed");
      expect(await store.claim(own, "another", long)).toBe("open");
    }
  });
}
