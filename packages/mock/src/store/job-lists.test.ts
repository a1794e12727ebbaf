import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cases } from "@tryon/test-kit/cases";

import { stockEngine } from "../engine/stock.ts";
import { bareService } from "../../test/bare-service.ts";
import { job } from "../../test/store-records.ts";
import { everyKey } from "./job-lists.ts";
import { MemoryStore } from "./memory-store.ts";
import type { JobRecord, JobStatus } from "./records.ts";

/** Adds a job's id to `visited` when any field of the job is read. */
function watched(record: JobRecord, visited: Set<string>): JobRecord {
  return new Proxy(record, {
    get(target, name) {
      visited.add(target.id);
      return Reflect.get(target, name) as unknown;
    },
  });
}

/** Creates a key with 60 failed jobs, one running job and many succeeded ones. */
function manyJobs(count: number) {
  const store = new MemoryStore();
  const { service } = bareService({ store, engine: stockEngine() });
  const visited = new Set<string>();
  store.transact((transaction) => {
    for (let index = 0; index < count; index += 1) {
      const status = index < 60 ? "failed" : index === 100 ? "running" : "succeeded";
      const added = transaction.addJob(job(`job_${index}`, { status }));
      transaction.putJob(watched(added, visited));
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

describe("a page of a list of 100,000 jobs", () => {
  test("reads as few records as one of 200 jobs, at each position and for each filter", async () => {
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
});

class Rollback extends Error {}

function attempt<Result>(step: () => Result): Result | undefined {
  try {
    return step();
  } catch (error) {
    if (error instanceof Rollback) return undefined;
    throw error;
  }
}

const statuses = ["queued", "running", "succeeded", "failed"] as const;
const keyIds = ["key_1", "key_2"] as const;

const write = fc.oneof(
  fc.record({
    kind: fc.constant("add" as const),
    keyId: fc.constantFrom(...keyIds),
    status: fc.constantFrom(...statuses),
  }),
  fc.record({
    kind: fc.constantFrom("change" as const, "remove" as const),
    which: fc.nat(),
    status: fc.constantFrom(...statuses),
  }),
);
const step = fc.record({
  writes: fc.array(write, { maxLength: 6 }),
  fails: fc.boolean(),
});

/** Computes a list from all jobs. */
function expected(jobs: readonly JobRecord[], keyId: string, status?: JobStatus) {
  return jobs
    .filter(
      (one) =>
        [one.keyId, everyKey].includes(keyId) && (status === undefined || one.status === status),
    )
    .toSorted((one, other) => other.sequence - one.sequence)
    .map(({ id }) => id);
}

function listed(store: MemoryStore, keyId: string, status?: JobStatus, before?: JobRecord) {
  const page = store.transact((transaction) =>
    transaction.jobs({
      keyId,
      limit: 1_000,
      ...(status && { status }),
      ...(before && { before }),
    }),
  );
  return page.map(({ id }) => id);
}

/** Reads every list of the store, in full and from the middle, with its expected value. */
function lists(store: MemoryStore, jobs: readonly JobRecord[]) {
  const found: (readonly string[])[] = [];
  const right: (readonly string[])[] = [];
  for (const keyId of [...keyIds, everyKey]) {
    for (const status of [undefined, ...statuses]) {
      const all = expected(jobs, keyId, status);
      const half = all.length >>> 1;
      const middle = jobs.find(({ id }) => id === all[half]);
      found.push(listed(store, keyId, status), listed(store, keyId, status, middle));
      right.push(all, middle === undefined ? all : all.slice(half + 1));
    }
  }
  return { found, right };
}

test("every list has exactly its jobs in order after writes, rollbacks and copies", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.nat(11), (steps, copyAt) => {
      const store = new MemoryStore();
      let jobs: readonly JobRecord[] = [];
      let copy: { store: MemoryStore; jobs: readonly JobRecord[] } | undefined;
      for (const [number, { writes, fails }] of steps.entries()) {
        if (number === copyAt) copy = { store: new MemoryStore(store.copyTables()), jobs };
        const done = attempt(() =>
          store.transact((transaction) => {
            let now = jobs;
            for (const [index, one] of writes.entries()) {
              if (one.kind === "add") {
                const { keyId, status } = one;
                const fresh = job(`job_${number}_${index}`, { keyId, status });
                now = [...now, transaction.addJob(fresh)];
                continue;
              }
              const chosen = now[one.which % Math.max(1, now.length)];
              if (chosen === undefined) continue;
              const changed = { ...chosen, status: one.status };
              now = now.filter(({ id }) => id !== chosen.id);
              if (one.kind === "remove") transaction.removeJob(chosen);
              else {
                now = [...now, changed];
                transaction.putJob(changed);
              }
            }
            if (fails) throw new Rollback();
            return now;
          }),
        );
        jobs = done ?? jobs;
        const { found, right } = lists(store, jobs);
        expect(found).toEqual(right);
      }
      if (copy === undefined) return;
      const { found, right } = lists(copy.store, copy.jobs);
      expect(found).toEqual(right);
    }),
    { numRuns: cases(250) },
  );
});
