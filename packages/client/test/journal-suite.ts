import type { Journal, JournalEntry, SharedJournal } from "@tryon/client/batch";
import { cases } from "@tryon/test-kit/cases";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { DatabaseJournal } from "../src/stores/journal-entry.ts";
import { entry } from "./journal-folder.ts";
import { createService, input } from "./service.ts";

const anyText = fc.string({ unit: "binary", maxLength: 40 });
// Some are longer than one read of a file.
const anyLongText = fc.nat(9000).map((length) => "ä".repeat(length));
const anyJob = fc.record({
  id: anyText,
  idempotencyKey: anyText,
  data: fc.record({
    job_id: anyText,
    status: fc.constant("running"),
    metadata: fc.dictionary(anyText, anyLongText, { maxKeys: 3 }),
  }),
});
const anyEntries = fc.array(
  fc.record({
    id: fc.oneof(
      anyText.filter((id) => id !== ""),
      fc.constantFrom("__proto__", "ä", "\n", "\0", "\uD83D", "\uDC4D", "👗", '"', "\\", "%"),
    ),
    state: fc.constantFrom("sending", "submitted", "succeeded", "failed", "refused"),
    idempotencyKey: anyText,
    digest: anyText,
    sync: fc.boolean(),
    size: fc.option(anyText, { nil: undefined }),
    credits: fc.option(fc.nat(1_000), { nil: undefined }),
    sentAt: fc.integer(),
    job: fc.option(anyJob, { nil: undefined }),
    failedJobs: fc.option(fc.array(anyJob, { maxLength: 2 }), { nil: undefined }),
  }),
  { maxLength: 12 },
);

export interface JournalStorage<Opened extends Journal = Journal> {
  /** Opens the journal, on its own connection if there are any. A journal of one process is closed first. */
  open(): Promise<Opened>;
  /** Deletes all entries and claims. The journal is closed, if it is one of one process. */
  clear(): Promise<void>;
  contents(): Promise<string>;
}

export function journalSuite(createStorage: () => JournalStorage | Promise<JournalStorage>): void {
  /** Opens a storage without entries. */
  async function openEmpty() {
    const storage = await createStorage();
    await storage.clear();
    return { storage, journal: await storage.open() };
  }

  it("returns the last entry of each item unchanged, in any mix of writes, also after it is opened again", async () => {
    const storage = await createStorage();
    await fc.assert(
      fc.asyncProperty(
        anyEntries,
        fc.integer({ min: 1, max: 5 }),
        async (generated, concurrency) => {
          await storage.clear();
          // A response can have other fields than the contract.
          const puts = generated as unknown as JournalEntry[];
          const journal = await storage.open();
          for (let at = 0; at < puts.length; at += concurrency) {
            const group = puts.slice(at, at + concurrency);
            // Only a journal of one process keeps the order of concurrent calls.
            if ("claim" in journal) for (const one of group) await journal.put(one);
            else await Promise.all(group.map((one) => journal.put(one)));
          }
          // JSON omits undefined fields, and these dictionaries have no prototype.
          const kept = JSON.parse(JSON.stringify(puts)) as typeof puts;
          const last = new Map(kept.map((one) => [one.id, one]));
          const checkEntries = async (opened: Journal): Promise<void> => {
            for (const [index, { id }] of puts.entries()) {
              expect(await opened.get(id)).toEqual(last.get(kept[index]?.id ?? ""));
            }
            expect(await opened.get("no such id")).toBeUndefined();
          };
          await checkEntries(journal);
          const again = await storage.open();
          await checkEntries(again);
          const listed: JournalEntry[] = [];
          for await (const one of again.list()) listed.push(one);
          expect(listed).toHaveLength(last.size);
          expect(new Map(listed.map((one) => [one.id, one]))).toEqual(last);
        },
      ),
      { numRuns: cases(150) },
    );
  });

  it("lists each of many items once", async () => {
    const { journal } = await openEmpty();
    const ids = Array.from({ length: 1_234 }, (_, index) => `sku-${index}`);
    for (const state of ["sending", "submitted"] as const) {
      await Promise.all(ids.map((id) => journal.put(entry(id, { state }))));
    }
    const listed: string[] = [];
    for await (const { id, state } of journal.list()) listed.push(`${id} ${state}`);
    expect(listed.toSorted()).toEqual(ids.map((id) => `${id} submitted`).toSorted());
  });

  it("omits signed URLs of jobs, and contains no key", async () => {
    const { storage, journal } = await openEmpty();
    const { mock, run, tryon } = createService();
    const job = await run(tryon.submit(input, { idempotencyKey: "order-17" }));
    await run(job.result());
    expect(job.data.result_url).toContain("signature");
    const { id, idempotencyKey, data } = job;
    await journal.put(entry("shoe", { state: "succeeded", job: { id, idempotencyKey, data } }));
    const text = await storage.contents();
    expect(text).toContain("shoe");
    expect(text).not.toContain("signature");
    expect(text).not.toContain(mock.keys.live);
    const resumed = tryon.jobs.resume((await journal.get("shoe"))?.job ?? "");
    expect(resumed).toMatchObject({ id, idempotencyKey, status: "succeeded" });
  });
}

const hour = 3_600_000;

/** Tests of the claims of every shared journal. `createStorage` opens journals whose claims last `claimTtl`. */
export function claimSuite(
  createStorage: (claimTtl: number) => JournalStorage<DatabaseJournal>,
): void {
  /** Opens a journal on several connections. The first one makes short claims. */
  async function openAll(claimTtl = hour) {
    const [short, other] = [createStorage(1), createStorage(claimTtl)];
    await short.clear();
    return [await short.open(), await other.open(), await other.open()] as const;
  }

  const claimed = { state: "claimed" };
  const held = { state: "held" };
  const ended = { state: "ended" };

  describe("a claim", () => {
    it("is given to one of many owners that claim an item at the same time", async () => {
      const [, ...journals] = await openAll();
      for (const id of ["new", "refused"]) {
        if (id === "refused") await journals[0].put(entry(id, { state: "refused" }));
        const owners = Array.from({ length: 20 }, (_, index) => `owner-${index}`);
        const claims = await Promise.all(
          owners.map((owner, index) => journals[index % 2 === 0 ? 0 : 1].claim(id, owner)),
        );
        const states = claims.map(({ state }) => state);
        expect(states.toSorted()).toEqual(["claimed", ...owners.slice(1).map(() => "held")]);
      }
    });

    it("belongs to an owner until it is released, with the last entry of the item", async () => {
      const [, journal, other] = await openAll();
      const { now = Date.now(), ...first } = await journal.claim("a", "one");
      expect(first).toEqual({ state: "claimed", entry: undefined });
      // Both are clocks of this machine.
      expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
      expect(await journal.putClaimed(entry("a"), "one")).toBe(true);
      expect(await journal.claim("a", "one")).toMatchObject({ ...claimed, entry: entry("a") });
      expect(await other.claim("a", "two")).toMatchObject(held);
      await other.release("a", "two");
      expect(await other.claim("a", "two")).toMatchObject(held);
      await journal.release("a", "one");
      expect(await other.claim("a", "two")).toMatchObject({ ...claimed, entry: entry("a") });
      expect(await journal.claim("a", "one")).toMatchObject(held);
      expect(await journal.claim("b", "one")).toMatchObject(claimed);
    });

    it.each(["succeeded", "failed"] as const)(
      "is not needed for an item that has %s",
      async (state) => {
        const [, journal] = await openAll();
        await journal.claim("a", "one");
        await journal.putClaimed(entry("a", { state }), "one");
        for (const owner of ["one", "two"]) {
          expect(await journal.claim("a", owner)).toMatchObject({
            ...ended,
            entry: entry("a", { state }),
          });
        }
      },
    );

    it("is known to be refused for items that have ended or are held, without a change", async () => {
      const [short, journal, other] = await openAll();
      const entries = (["succeeded", "failed", "refused"] as const).map((state) =>
        entry(`\0${state} "ä"`, { state }),
      );
      for (const one of entries) await journal.put(one);
      await journal.claim("held", "one");
      await short.claim("over", "one");
      await expect.poll(() => journal.claim("over", "two")).toMatchObject(claimed);
      await journal.release("over", "two");
      const ids = [...entries.map(({ id }) => id), "held", "over", "new"];
      const [succeeded, failed] = entries;
      const refused = [
        [succeeded?.id, { ...ended, entry: succeeded }],
        [failed?.id, { ...ended, entry: failed }],
      ] as const;
      expect(await journal.refusedClaims?.(ids, "one")).toEqual(new Map(refused));
      const all = await other.refusedClaims?.(ids, "two");
      expect(all).toEqual(new Map([...refused, ["held", { ...held, entry: undefined }]]));
      expect(await other.claim("new", "two")).toMatchObject(claimed);
    });

    it("of another owner keeps the journal from being deleted, with all entries", async () => {
      const [short, journal] = await openAll();
      const ids = Array.from({ length: 1_100 }, (_, index) => `sku-${index}`);
      await journal.total?.(0);
      await Promise.all(ids.map((id) => journal.put(entry(id, { state: "succeeded" }))));
      await journal.claim("z", "one");
      await expect(journal.delete()).rejects.toMatchObject({ code: "invalid_config" });
      expect(await journal.get("sku-0")).toEqual(entry("sku-0", { state: "succeeded" }));
      await journal.release("z", "one");
      await short.claim("y", "one");
      // The claim of a killed process has ended.
      await expect.poll(() => journal.claim("y", "two")).toMatchObject(claimed);
      await journal.release("y", "two");
      expect(await journal.delete()).toBeGreaterThanOrEqual(1_100);
      expect(await journal.total?.()).toBeUndefined();
      for await (const { id } of journal.list()) expect(id).toBe("none");
      expect(await journal.delete()).toBe(0);
      expect(await journal.claim("sku-0", "one")).toMatchObject({ ...claimed, entry: undefined });
    });

    it("is given to one owner for another attempt of an item that has failed", async () => {
      const [short, journal, other] = await openAll();
      for (const state of ["failed", "succeeded"] as const) {
        await journal.claim(state, "one");
        await journal.putClaimed(entry(state, { state }), "one");
        await journal.release(state, "one");
      }
      expect(await other.claim("succeeded", "two", true)).toMatchObject(ended);
      expect(await short.claim("failed", "one", true)).toMatchObject({
        ...claimed,
        entry: entry("failed", { state: "failed" }),
      });
      await expect.poll(() => journal.claim("failed", "two", true)).toMatchObject(claimed);
      expect(await other.claim("failed", "three", true)).toMatchObject(held);
      expect(await other.claim("failed", "three")).toMatchObject(ended);
      expect(await short.putClaimed(entry("failed"), "one")).toBe(false);
      const next = entry("failed", { idempotencyKey: "second", failedJobs: [{ id: "job_1" }] });
      expect(await journal.putClaimed(next, "two")).toBe(true);
      expect(await other.claim("failed", "three", true)).toMatchObject({ ...held, entry: next });
    });

    it("is over after its time, and the former owner can no longer write, renew or release", async () => {
      const [short, journal] = await openAll();
      await short.claim("a", "one");
      await short.putClaimed(entry("a"), "one");
      await expect
        .poll(() => journal.claim("a", "two"))
        .toMatchObject({ ...claimed, entry: entry("a") });
      const late = entry("a", { state: "refused" });
      expect(await short.putClaimed(late, "one")).toBe(false);
      await short.renew(["a"], "one");
      await short.release("a", "one");
      expect(await journal.claim("a", "three")).toMatchObject({ ...held, entry: entry("a") });
      expect(await journal.putClaimed(entry("a", { state: "submitted" }), "two")).toBe(true);
      expect(await short.get("a")).toMatchObject({ state: "submitted" });
    });

    it("lasts longer after it is renewed", async () => {
      const [short, journal, other] = await openAll();
      for (const id of ["a", "b", "c"]) await short.claim(id, "one");
      // After this, the claims made before it are over, too.
      await short.claim("last", "one");
      await expect.poll(() => other.claim("last", "two")).toMatchObject(claimed);
      await journal.renew(["a", "b", "last"], "one");
      for (const id of ["a", "b"]) expect(await other.claim(id, "two")).toMatchObject(held);
      expect(await other.claim("c", "two")).toMatchObject(claimed);
    });

    it("writes no entry", async () => {
      const [, journal] = await openAll();
      expect(await journal.claim("a", "one")).toMatchObject(claimed);
      expect(await journal.get("a")).toBeUndefined();
      for await (const listed of journal.list()) expect(listed).toBeUndefined();
    });
  });
}

const endedStates = new Set<unknown>(["succeeded", "failed"]);

/** Step of one of two owners of an item. */
const anyStep = fc.record({
  id: fc.constantFrom("a", "b", '{"credits":7', "\0"),
  owner: fc.constantFrom("one", "two"),
  connection: fc.nat(1),
  does: fc.constantFrom("claim", "release", "put", "put", "put", "putOld"),
  state: fc.constantFrom("sending", "submitted", "succeeded", "failed", "refused"),
  credits: fc.nat(30),
  limit: fc.option(fc.nat(80), { nil: undefined }),
} as const);

/** Returns the sum of the credits of all entries. */
async function sumOf(journal: SharedJournal): Promise<number> {
  let sum = 0;
  for await (const { credits = 0 } of journal.list()) sum += credits;
  return sum;
}

/** Tests of the total of every shared journal, and of its schedules. */
export function totalSuite(createStorage: () => JournalStorage<SharedJournal>): void {
  /** Opens a journal on two connections. */
  async function openBoth() {
    const storage = createStorage();
    await storage.clear();
    return [await storage.open(), await storage.open()] as const;
  }

  describe("the total", () => {
    it("is the sum of what the entries count, and stays within the limit, after any steps", async () => {
      const storage = createStorage();
      const connections = [await storage.open(), await storage.open()] as const;
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
          await storage.clear();
          const [first] = connections;
          await first.total?.(0);
          const [owners, entries] = [new Map<string, string>(), new Map<string, JournalEntry>()];
          let total = 0;
          for (const { id, owner, connection, does, state, credits, limit } of steps) {
            const journal = connections[connection === 0 ? 0 : 1];
            const last = entries.get(id);
            const isOwn = owners.get(id) === owner;
            if (does === "claim") {
              const claim = await journal.claim(id, owner);
              const isFree = !endedStates.has(last?.state) && (isOwn || !owners.has(id));
              if (isFree !== (claim.state === "claimed")) throw new Error(`${id}: ${claim.state}`);
              if (isFree) owners.set(id, owner);
              continue;
            }
            if (does === "release") {
              await journal.release(id, owner);
              if (isOwn) owners.delete(id);
              continue;
            }
            const counted = state === "refused" ? 0 : credits;
            const next = entry(id, { state, credits: does === "put" ? counted : undefined });
            const isNew = last === undefined || (!("credits" in last) && last.state === "refused");
            const change = does === "put" ? counted - (isNew ? 0 : (last.credits ?? counted)) : 0;
            const isFull = limit !== undefined && total + change > limit;
            const kept =
              limit === undefined
                ? await journal.putClaimed(next, owner)
                : await journal.putWithin?.(next, owner, limit);
            const expected = isOwn && (isFull ? "full" : true);
            if (kept !== expected) throw new Error(`${id}: ${kept}, not ${expected}`);
            if (kept !== true) continue;
            total += change;
            entries.set(id, JSON.parse(JSON.stringify(next)) as JournalEntry);
            if (endedStates.has(state)) owners.delete(id);
          }
          for (const [id, last] of entries) expect(await first.get(id)).toEqual(last);
          expect(await first.total?.()).toBe(total);
        }),
        { numRuns: cases(300, 40) },
      );
    });

    it("does not exist before it is set, and is set once", async () => {
      const [journal, other] = await openBoth();
      expect(await journal.total?.()).toBeUndefined();
      await journal.claim("a", "one");
      expect(await journal.putClaimed(entry("a", { credits: 8 }), "one")).toBe(true);
      expect(await journal.total?.()).toBeUndefined();
      expect(await journal.putWithin?.(entry("a", { credits: 8 }), "one", 100)).toBe("full");
      const totals = await Promise.all([8, 9, 10].map(async (sum) => other.total?.(sum)));
      expect(new Set(totals).size).toBe(1);
      for await (const { id } of journal.list()) expect(id).toBe("a");
    });

    it("is exact after many puts at the same time, which stay within the limit", async () => {
      const journals = await openBoth();
      const [journal] = journals;
      await journal.total?.(0);
      const ids = Array.from({ length: 40 }, (_, index) => `sku-${index}`);
      const states = await Promise.all(
        ids.map(async (id, index) => {
          const one = journals[index % 2 === 0 ? 0 : 1];
          await one.claim(id, "one");
          const kept = await one.putWithin?.(entry(id, { credits: 8 }), "one", 200);
          if (kept !== true || index % 3 > 0) return kept;
          return one.putClaimed(entry(id, { credits: 5, state: "succeeded" }), "one");
        }),
      );
      const total = await journal.total?.();
      expect(total).toBe(await sumOf(journal));
      expect(total).toBeLessThanOrEqual(200);
      // With less, one more item fits.
      expect(total).toBeGreaterThan(192 - 3 * states.filter((kept) => kept === true).length);
    });

    it("changes with an entry of an earlier release as it was counted", async () => {
      const [journal] = await openBoth();
      const put = async (id: string, state: "sending" | "refused"): Promise<void> => {
        await journal.claim(id, "one");
        await journal.putClaimed(entry(id, { state }), "one");
      };
      await put("open", "sending");
      await put("refused", "refused");
      await journal.total?.(8);
      expect(await journal.putWithin?.(entry("open", { credits: 8 }), "one", 8)).toBe(true);
      expect(await journal.total?.()).toBe(8);
      expect(await journal.putWithin?.(entry("refused", { credits: 8 }), "one", 8)).toBe("full");
      expect(await journal.putWithin?.(entry("refused", { credits: 8 }), "one", 16)).toBe(true);
      expect(await journal.total?.()).toBe(16);
    });
  });

  it("gives each part of a schedule once, whichever journal asks", async () => {
    const journals = await openBoth();
    const name = String(Math.random());
    const waits = await Promise.all(
      Array.from({ length: 12 }, async (_, index) =>
        journals[index % 2 === 0 ? 0 : 1].takeTime?.(name, 100_000),
      ),
    );
    const sorted = waits.map(Number).toSorted((a, b) => a - b);
    for (const [index, wait] of sorted.entries()) {
      // The clock of the storage goes on, and processes can see it a little differently.
      expect(Math.abs(wait - index * 100_000)).toBeLessThan(30_000);
    }
    expect(await journals[0].takeTime?.(`${name} of another key`, 1_000)).toBeLessThan(1);
  });
}
