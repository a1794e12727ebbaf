import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { stockEngine } from "../engine/stock.ts";
import { createSqliteStore } from "../node/sqlite-store.ts";
import { bareService } from "../../test/bare-service.ts";
import { stateFile } from "../../test/temporary-files.ts";
import {
  contents,
  delivery,
  idempotency,
  job,
  key,
  purchase,
  unfinished,
} from "../../test/store-records.ts";
import type { JobRecord, JobStatus } from "./records.ts";
import { Store, type Tables } from "./store.ts";

class Rollback extends Error {}

/** Runs a step and returns true, or false if it was rolled back. */
function attempt(store: Store, step: (tables: Tables) => void): boolean {
  try {
    store.transact(step);
    return true;
  } catch (error) {
    if (error instanceof Rollback) return false;
    throw error;
  }
}

/** Creates a store in memory, or with a log in a SQLite file that `reopen` reads again. */
const kinds = [
  [
    "memory",
    () => {
      const store = new Store();
      return { store, reopen: async () => store };
    },
  ],
  [
    "SQLite",
    () => {
      const file = stateFile();
      let log = createSqliteStore(file);
      const store = new Store(log);
      const reopen = async (): Promise<Store> => {
        await store.saved();
        log.close();
        log = createSqliteStore(file);
        return new Store(log);
      };
      onTestFinished(() => log.close());
      return { store, reopen };
    },
  ],
] as const;

function putEverything(tables: Tables): void {
  tables.accounts.put({ id: "acct_1", state: "flagged" });
  tables.keys.put(key);
  tables.jobs.put(job("job_1"));
  tables.ledger.put({ keyId: "key_1", credits: 5, cause: "grant", at: 1 });
  tables.purchases.put(purchase);
  tables.deliveries.put(delivery);
  tables.idempotency.put(idempotency);
  tables.unfinished.put(unfinished);
  tables.server.put({ seed: "demo", clockMode: "real", restarts: 0, clockOffset: 0 });
}

const statuses = ["queued", "running", "succeeded", "failed"] as const;
const keyIds = ["key_1", "key_2"] as const;
const groups = [
  ...statuses,
  ...keyIds,
  ...keyIds.flatMap((keyId) => statuses.map((status) => `${keyId} ${status}`)),
];

const write = fc.record({
  kind: fc.constantFrom("add", "change", "remove"),
  which: fc.nat(),
  keyId: fc.constantFrom(...keyIds),
  status: fc.constantFrom(...statuses),
});
const steps = fc.array(
  fc.record({ writes: fc.array(write, { maxLength: 6 }), fails: fc.boolean() }),
  { maxLength: 12 },
);

/** Reads each list of jobs, in full and from the middle of all jobs. */
function lists(store: Store, all: readonly JobRecord[]): readonly unknown[] {
  const middle = all[all.length >>> 1]?.id;
  return store.transact(({ jobs }) => [
    jobs.all(),
    ...groups.map((group) => ({
      group,
      all: jobs.all(group),
      count: jobs.count(group),
      latest: jobs.latest(2, group),
      newestFirst: [...jobs.newestFirst(group)],
      older: [...jobs.newestFirst(group, middle)],
    })),
  ]);
}

function expectedLists(all: readonly JobRecord[]): readonly unknown[] {
  const newer = new Set(all.slice(all.length >>> 1));
  const expected = groups.map((group) => {
    const own = all.filter(({ keyId, status }) =>
      [keyId, status, `${keyId} ${status}`].includes(group),
    );
    const newestFirst = own.toReversed();
    const older = newestFirst.filter((one) => !newer.has(one));
    return {
      group,
      all: own,
      count: own.length,
      latest: newestFirst.slice(0, 2),
      newestFirst,
      older,
    };
  });
  return [all, ...expected];
}

describe.each(kinds)("the store in %s", (_kind, open) => {
  test("a step that throws changes no table, and does not affect the next step", async () => {
    const { store, reopen } = open();
    const failed = attempt(store, (tables) => {
      putEverything(tables);
      throw new Rollback();
    });
    expect(failed).toBe(false);
    expect(contents(store)).toEqual(Array.from({ length: 9 }, () => []));
    store.transact(putEverything);
    expect(contents(store).map(({ length }) => length)).toEqual(Array.from({ length: 9 }, () => 1));
    expect(contents(await reopen())).toEqual(contents(store));
  });

  test("a copy has the records of each table, and shares no later write", () => {
    const { store } = open();
    store.transact(putEverything);
    const copy = store.copy();
    const before = contents(store);
    expect(contents(copy)).toEqual(before);
    store.transact(({ keys, jobs, ledger }) => {
      keys.put({ ...key, credits: 7 });
      jobs.remove("job_1");
      ledger.put({ keyId: "key_1", credits: 2, cause: "purchase", at: 2 });
    });
    expect(contents(copy)).toEqual(before);
  });

  test("records are found by their ids and groups only", () => {
    const { store } = open();
    store.transact((tables) => {
      putEverything(tables);
      tables.ledger.put({ keyId: "key_1", credits: 5, cause: "grant", at: 1 });
    });
    store.transact((tables) => {
      expect([tables.keys.getOrThrow("key_1"), tables.keyByToken("svc_live_1")]).toEqual([
        key,
        key,
      ]);
      expect(tables.keys.all("acct_1")).toEqual([key]);
      expect(tables.purchases.get("pi_1")).toEqual(purchase);
      expect(tables.purchases.all("spt_1")).toEqual([purchase]);
      expect(tables.deliveries.all("job_1")).toEqual([delivery]);
      expect(tables.ledger.all("key_1")).toHaveLength(2);
      expect([tables.keys.get("svc_live_1"), tables.keyByToken("key_1")]).toEqual([
        undefined,
        undefined,
      ]);
      expect(tables.jobs.get("toString")).toBeUndefined();
      expect([...tables.deliveries.all("job_2"), ...tables.ledger.all("key_2")]).toEqual([]);
      expect(() => tables.keys.getOrThrow("key_2")).toThrow("The record key_2 is missing");
    });
  });

  test("each list has exactly its jobs in the order of creation after writes, rollbacks and copies", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(11), async (given, copyAt) => {
        const { store, reopen } = open();
        let jobs: readonly JobRecord[] = [];
        let copy: { store: Store; jobs: readonly JobRecord[] } | undefined;
        for (const [number, { writes, fails }] of given.entries()) {
          if (number === copyAt) copy = { store: store.copy(), jobs };
          let now = jobs;
          const done = attempt(store, (tables) => {
            for (const [index, { kind, which, keyId, status }] of writes.entries()) {
              const chosen = kind === "add" ? undefined : now[which % Math.max(1, now.length)];
              const id = chosen?.id ?? `job_${number}_${index}`;
              if (kind === "remove") {
                tables.jobs.remove(id);
                now = now.filter((one) => one !== chosen);
              } else {
                const written = { ...job(id, { keyId }), ...chosen, status };
                tables.jobs.put(written);
                now = chosen
                  ? now.map((one) => (one === chosen ? written : one))
                  : [...now, written];
              }
            }
            if (fails) throw new Rollback();
          });
          if (done) jobs = now;
          expect(lists(store, jobs)).toEqual(expectedLists(jobs));
        }
        expect(lists(await reopen(), jobs)).toEqual(expectedLists(jobs));
        if (copy === undefined) return;
        expect(lists(copy.store, copy.jobs)).toEqual(expectedLists(copy.jobs));
      }),
      { numRuns: cases(250) },
    );
  });
});

/** Creates a key with 60 failed jobs, one running job and many succeeded ones. */
function manyJobs(count: number) {
  const store = new Store();
  const { service } = bareService({ store, engine: stockEngine() });
  const visited = new Set<string>();
  store.transact(({ jobs }) => {
    for (let index = 0; index < count; index += 1) {
      const status = index < 60 ? "failed" : index === 100 ? "running" : "succeeded";
      const watched = new Proxy(job(`job_${index}`, { status }), {
        get(target, name) {
          visited.add(target.id);
          return Reflect.get(target, name) as unknown;
        },
      });
      jobs.put(watched);
    }
  });
  return {
    /** Returns the number of records that a page reads. */
    visits: async (query: { cursor?: string; status?: JobStatus } = {}): Promise<number> => {
      visited.clear();
      const { cursor, status } = query;
      await service.jobs.list("key_1", { limit: 20, cursor, status });
      return visited.size;
    },
  };
}

test("a page of a list of 100,000 jobs reads as few records as one of 200 jobs", async () => {
  const [few, many] = [manyJobs(200), manyJobs(100_000)];
  const pages = [
    { name: "the first", query: {} },
    { name: "one in the middle", query: { cursor: "job_150" } },
    { name: "the last", query: { cursor: "job_20" } },
    { name: "the first of a frequent status", query: { status: "succeeded" } },
    { name: "the last of a frequent status", query: { status: "succeeded", cursor: "job_66" } },
    { name: "the first of a rare status", query: { status: "failed" } },
    { name: "the last of a rare status", query: { status: "failed", cursor: "job_20" } },
    { name: "the only one of a status", query: { status: "running" } },
    { name: "an empty one", query: { status: "queued" } },
  ] as const;
  for (const { name, query } of pages) {
    const visits = await many.visits(query);
    expect(visits, name).toBe(await few.visits(query));
    // The page, the job of the cursor, and the job that follows the page.
    expect(visits, name).toBeLessThanOrEqual(22);
  }
});
