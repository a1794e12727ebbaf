import { beforeEach, describe, expect, test } from "vitest";

import {
  delivery,
  idempotency,
  job,
  key,
  purchase,
  type NewJob,
} from "../../test/store-records.ts";
import { MemoryStore } from "./memory-store.ts";
import type { JobRecord } from "./records.ts";
import type { Transaction } from "./store.ts";

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});

const read = <Result>(work: (transaction: Transaction) => Result): Result => store.transact(work);

const ids = (query: Partial<Parameters<Transaction["jobs"]>[0]> = {}) =>
  read((transaction) => transaction.jobs({ keyId: "key_1", limit: 100, ...query })).map(
    ({ id }) => id,
  );

const latest = (status?: JobRecord["status"], limit = 100) =>
  read((transaction) => transaction.latestJobs({ limit, ...(status && { status }) })).map(
    ({ id }) => id,
  );

const addJobs = (...jobs: readonly NewJob[]) =>
  store.transact((transaction) => jobs.map((one) => transaction.addJob(one)));

class Rollback extends Error {}

function rollBack(work: (transaction: Transaction) => void): void {
  const step = (): void =>
    store.transact((transaction) => {
      work(transaction);
      throw new Rollback();
    });
  expect(step).toThrow(Rollback);
}

function putEverything(transaction: Transaction): void {
  transaction.putAccount({ id: "acct_1", state: "flagged" });
  transaction.putKey(key);
  transaction.putPurchase(purchase);
  transaction.putIdempotency(idempotency);
  transaction.putDelivery(delivery);
  transaction.addLedgerEntry({ keyId: "key_1", credits: 5, cause: "grant", at: 1 });
}

describe("a step", () => {
  test("stores records that it and later steps read", () => {
    store.transact((transaction) => {
      putEverything(transaction);
      expect(transaction.keyByToken("svc_live_1")).toEqual(key);
    });
    store.transact((transaction) => {
      expect(transaction.account("acct_1")).toEqual({ id: "acct_1", state: "flagged" });
      expect(transaction.key("key_1")).toEqual(key);
      expect(transaction.keysOfAccount("acct_1")).toEqual([key]);
      expect(transaction.purchase("pi_1")).toEqual(purchase);
      expect(transaction.purchaseByToken("spt_1")).toEqual(purchase);
      expect(transaction.idempotency("key_1", "order-1")).toEqual(idempotency);
      expect(transaction.delivery("dlv_1")).toEqual(delivery);
      expect(transaction.deliveries("job_1")).toEqual([delivery]);
      expect(transaction.ledger("key_1")).toHaveLength(1);
    });
  });

  test("replaces and removes records", () => {
    store.transact((transaction) => {
      putEverything(transaction);
      transaction.putKey({ ...key, credits: 7 });
      transaction.putDelivery({ ...delivery, state: "delivered" });
      transaction.removeIdempotency(idempotency);
    });
    store.transact((transaction) => {
      expect(transaction.keyByToken("svc_live_1")?.credits).toBe(7);
      expect(transaction.keysOfAccount("acct_1")).toHaveLength(1);
      expect(transaction.deliveries()).toMatchObject([{ state: "delivered" }]);
      expect(transaction.idempotency("key_1", "order-1")).toBeUndefined();
    });
  });

  test("finds a record only under its own ids", () => {
    store.transact((transaction) => {
      putEverything(transaction);
      expect(transaction.key("svc_live_1")).toBeUndefined();
      expect(transaction.keyByToken("key_1")).toBeUndefined();
      expect(transaction.idempotency("key_2", "order-1")).toBeUndefined();
      expect(transaction.ledger("key_2")).toEqual([]);
      expect(transaction.deliveries("job_2")).toEqual([]);
      expect(transaction.job("toString")).toBeUndefined();
    });
  });
});

describe("a step that throws", () => {
  test("undoes all of its writes", () => {
    rollBack((transaction) => {
      putEverything(transaction);
      transaction.addJob(job("job_1"));
    });
    store.transact((transaction) => {
      expect(transaction.account("acct_1")).toBeUndefined();
      expect(transaction.keyByToken("svc_live_1")).toBeUndefined();
      expect(transaction.purchaseByToken("spt_1")).toBeUndefined();
      expect(transaction.idempotency("key_1", "order-1")).toBeUndefined();
      expect(transaction.deliveries("job_1")).toEqual([]);
      expect(transaction.ledger("key_1")).toEqual([]);
      expect(transaction.job("job_1")).toBeUndefined();
    });
    expect(ids()).toEqual([]);
  });

  test("restores changed and removed records, and the order of the jobs", () => {
    store.transact((transaction) => {
      putEverything(transaction);
      transaction.putKey({ ...key, credits: 10 });
    });
    const added = addJobs(job("job_1"), job("job_2"), job("job_3"));
    rollBack((transaction) => {
      transaction.addJob(job("job_4"));
      for (const one of added.slice(0, 2).toReversed()) transaction.removeJob(one);
      transaction.addJob(job("job_5"));
      transaction.putKey({ ...key, credits: 2 });
      transaction.putKey({ ...key, credits: 1 });
      transaction.removeIdempotency(idempotency);
      transaction.addLedgerEntry({ keyId: "key_1", credits: -8, cause: "tryon", at: 2 });
    });
    expect(ids()).toEqual(["job_3", "job_2", "job_1"]);
    store.transact((transaction) => {
      expect(transaction.key("key_1")?.credits).toBe(10);
      expect(transaction.ledger("key_1")).toHaveLength(1);
      expect(transaction.idempotency("key_1", "order-1")).toEqual(idempotency);
      expect(transaction.job("job_1")).toEqual(added[0]);
    });
  });

  test("leaves the next step unaffected", () => {
    rollBack((transaction) => transaction.putKey({ ...key, credits: 9 }));
    store.transact((transaction) => transaction.putKey({ ...key, credits: 1 }));
    expect(read((transaction) => transaction.key("key_1"))?.credits).toBe(1);
  });
});

describe("the jobs of a key", () => {
  test("are listed newest first by creation, not by time", () => {
    const added = addJobs(job("job_b", { createdAt: 5 }), job("job_a", { createdAt: 3 }));
    expect(ids()).toEqual(["job_a", "job_b"]);
    expect((added[1]?.sequence ?? 0) > (added[0]?.sequence ?? 0)).toBe(true);
  });

  test("have pages that stay the same while jobs are added", () => {
    const names = Array.from({ length: 7 }, (_unused, index) => `job_${index}`);
    const before = addJobs(...names.map((name) => job(name))).slice(4, 5);
    addJobs(job("job_7"), job("job_8"), job("job_other", { keyId: "key_2" }));
    const [page] = before.map((one) => ids({ limit: 2, before: one }));
    expect(page).toEqual(["job_3", "job_2"]);
    const [rest] = before.map((one) => ids({ limit: 9, before: one }));
    expect(rest).toEqual(["job_3", "job_2", "job_1", "job_0"]);
  });

  test("are filtered by status and time before the limit applies", () => {
    const added = addJobs(
      job("job_0", { status: "failed", createdAt: 1 }),
      job("job_1", { createdAt: 2 }),
      job("job_2", { status: "failed", createdAt: 3 }),
      job("job_3", { createdAt: 4 }),
    );
    expect(ids({ status: "failed", limit: 1 })).toEqual(["job_2"]);
    expect(ids({ status: "failed" })).toEqual(["job_2", "job_0"]);
    expect(ids({ createdUntil: 3 })).toEqual(["job_2", "job_1", "job_0"]);
    store.transact((transaction) => {
      for (const one of added.slice(0, 1)) transaction.putJob({ ...one, status: "succeeded" });
    });
    expect(ids({ status: "failed" })).toEqual(["job_2"]);
    expect(ids()).toEqual(["job_3", "job_2", "job_1", "job_0"]);
  });

  test("keep the bytes of their images", () => {
    const bytes = Uint8Array.of(0, 255, 128);
    const result = { bytes, width: 1, height: 3 };
    for (const one of addJobs(job("job_0"))) {
      store.transact((transaction) => transaction.putJob({ ...one, result }));
    }
    expect(read((transaction) => transaction.job("job_0"))?.result).toEqual(result);
  });
});

describe("the latest records of all keys", () => {
  test("list and count jobs, newest first, by status and up to the limit", () => {
    addJobs(
      job("job_0", { status: "failed" }),
      job("job_1", { keyId: "key_2" }),
      job("job_2"),
      job("job_3", { keyId: "key_2", status: "failed" }),
    );
    expect(latest()).toEqual(["job_3", "job_2", "job_1", "job_0"]);
    expect(latest(undefined, 2)).toEqual(["job_3", "job_2"]);
    expect(latest("failed")).toEqual(["job_3", "job_0"]);
    expect(latest("running", 1)).toEqual(["job_2"]);
    const counts = read((transaction) => transaction.jobCounts());
    expect(counts).toEqual({ queued: 0, running: 2, succeeded: 0, failed: 2 });
  });

  test("list keys and deliveries, newest first, changed ones at their old place", () => {
    store.transact((transaction) => {
      for (const number of [1, 2, 3]) {
        const names = { id: `key_${number}`, token: `svc_live_${number}` };
        transaction.putKey({ ...key, ...names });
        transaction.putDelivery({ ...delivery, id: `dlv_${number}` });
      }
      transaction.putKey({ ...key, credits: 5 });
      transaction.putDelivery({ ...delivery, state: "delivered" });
    });
    store.transact((transaction) => {
      expect(transaction.latestKeys(2).map(({ id }) => id)).toEqual(["key_3", "key_2"]);
      const { deliveries, total } = transaction.latestDeliveries(2);
      expect(deliveries.map(({ id }) => id)).toEqual(["dlv_3", "dlv_2"]);
      expect(total).toBe(3);
    });
  });
});
