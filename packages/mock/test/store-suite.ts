import { beforeEach, describe, expect, test } from "vitest";

import type { JobRecord } from "../src/store/records.ts";
import type { Store, Transaction } from "../src/store/store.ts";
import { turn } from "../src/system/host.ts";
import { delivery, idempotency, job, key, purchase, type NewJob } from "./store-records.ts";

class Rollback extends Error {}

/** What every store has to do; `makeStore` gives an empty one. */
export function storeSuite(makeStore: () => Store | Promise<Store>): void {
  let store: Store;
  beforeEach(async () => {
    store = await makeStore();
  });

  const ids = async (query: Partial<Parameters<Transaction["jobs"]>[0]> = {}) =>
    store.transact(async (transaction) => {
      const page = await transaction.jobs({ keyId: "key_1", limit: 100, ...query });
      return page.map(({ id }) => id);
    });

  const latest = (status?: JobRecord["status"], limit = 100) =>
    store.transact(async (transaction) => {
      const found = await transaction.latestJobs({ limit, ...(status && { status }) });
      return found.map(({ id }) => id);
    });

  const addJobs = (...jobs: readonly NewJob[]) =>
    store.transact(async (transaction) => {
      const added: JobRecord[] = [];
      for (const one of jobs) added.push(await transaction.addJob(one));
      return added;
    });

  const failing = async (work: (transaction: Transaction) => Promise<unknown>): Promise<void> => {
    const step = store.transact(async (transaction) => {
      await work(transaction);
      throw new Rollback();
    });
    await expect(step).rejects.toThrow(Rollback);
  };

  describe("what is written", () => {
    test("is read back, in the same step and later", async () => {
      await store.transact(async (transaction) => {
        await transaction.putAccount({ id: "acct_1", state: "flagged" });
        await transaction.putKey(key);
        await transaction.putPurchase(purchase);
        await transaction.putIdempotency(idempotency);
        await transaction.putDelivery(delivery);
        await transaction.addLedgerEntry({ keyId: "key_1", credits: 5, cause: "grant", at: 1 });
        expect(await transaction.keyByToken("svc_live_1")).toEqual(key);
      });
      await store.transact(async (transaction) => {
        expect(await transaction.account("acct_1")).toEqual({ id: "acct_1", state: "flagged" });
        expect(await transaction.key("key_1")).toEqual(key);
        expect(await transaction.keysOfAccount("acct_1")).toEqual([key]);
        expect(await transaction.purchase("pi_1")).toEqual(purchase);
        expect(await transaction.purchaseByToken("spt_1")).toEqual(purchase);
        expect(await transaction.idempotency("key_1", "order-1")).toEqual(idempotency);
        expect(await transaction.delivery("dlv_1")).toEqual(delivery);
        expect(await transaction.deliveries("job_1")).toEqual([delivery]);
        expect(await transaction.ledger("key_1")).toHaveLength(1);
      });
    });

    test("takes the place of what was there before", async () => {
      await store.transact(async (transaction) => {
        await transaction.putKey(key);
        await transaction.putKey({ ...key, credits: 7 });
        await transaction.putDelivery(delivery);
        await transaction.putDelivery({ ...delivery, state: "delivered" });
        await transaction.putIdempotency(idempotency);
        await transaction.removeIdempotency(idempotency);
      });
      await store.transact(async (transaction) => {
        expect((await transaction.keyByToken("svc_live_1"))?.credits).toBe(7);
        expect(await transaction.keysOfAccount("acct_1")).toHaveLength(1);
        expect(await transaction.deliveries()).toMatchObject([{ state: "delivered" }]);
        expect(await transaction.idempotency("key_1", "order-1")).toBeUndefined();
      });
    });

    test("is found under nothing else", async () => {
      await store.transact(async (transaction) => {
        await transaction.putKey(key);
        await transaction.putIdempotency(idempotency);
        expect(await transaction.key("svc_live_1")).toBeUndefined();
        expect(await transaction.keyByToken("key_1")).toBeUndefined();
        expect(await transaction.idempotency("key_2", "order-1")).toBeUndefined();
        expect(await transaction.ledger("key_2")).toEqual([]);
        expect(await transaction.deliveries("job_2")).toEqual([]);
        expect(await transaction.job("toString")).toBeUndefined();
      });
    });
  });

  describe("a step that throws", () => {
    test("leaves no trace of what it wrote", async () => {
      await failing(async (transaction) => {
        await transaction.putAccount({ id: "acct_1", state: "active" });
        await transaction.putKey(key);
        await transaction.putPurchase(purchase);
        await transaction.putIdempotency(idempotency);
        await transaction.putDelivery(delivery);
        await transaction.addLedgerEntry({ keyId: "key_1", credits: 5, cause: "grant", at: 1 });
        await transaction.addJob(job("job_1"));
      });
      await store.transact(async (transaction) => {
        expect(await transaction.account("acct_1")).toBeUndefined();
        expect(await transaction.keyByToken("svc_live_1")).toBeUndefined();
        expect(await transaction.purchaseByToken("spt_1")).toBeUndefined();
        expect(await transaction.idempotency("key_1", "order-1")).toBeUndefined();
        expect(await transaction.deliveries("job_1")).toEqual([]);
        expect(await transaction.ledger("key_1")).toEqual([]);
        expect(await transaction.job("job_1")).toBeUndefined();
      });
      expect(await ids()).toEqual([]);
    });

    test("puts back what it changed and removed, each at its place", async () => {
      const added = await store.transact(async (transaction) => {
        await transaction.putKey({ ...key, credits: 10 });
        await transaction.putIdempotency(idempotency);
        await transaction.addLedgerEntry({ keyId: "key_1", credits: 10, cause: "grant", at: 1 });
        return [
          await transaction.addJob(job("job_1")),
          await transaction.addJob(job("job_2")),
          await transaction.addJob(job("job_3")),
        ];
      });
      await failing(async (transaction) => {
        await transaction.addJob(job("job_4"));
        for (const one of [added[1], added[0]])
          if (one !== undefined) await transaction.removeJob(one);
        await transaction.addJob(job("job_5"));
        await transaction.putKey({ ...key, credits: 2 });
        await transaction.putKey({ ...key, credits: 1 });
        await transaction.removeIdempotency(idempotency);
        await transaction.addLedgerEntry({ keyId: "key_1", credits: -8, cause: "tryon", at: 2 });
      });
      expect(await ids()).toEqual(["job_3", "job_2", "job_1"]);
      await store.transact(async (transaction) => {
        expect((await transaction.key("key_1"))?.credits).toBe(10);
        expect(await transaction.ledger("key_1")).toHaveLength(1);
        expect(await transaction.idempotency("key_1", "order-1")).toEqual(idempotency);
        expect(await transaction.job("job_1")).toEqual(added[0]);
      });
    });

    test("does not touch the steps after it", async () => {
      const first = failing((transaction) => transaction.putKey({ ...key, credits: 9 }));
      const second = store.transact((transaction) => transaction.putKey({ ...key, credits: 1 }));
      await Promise.all([first, second]);
      const found = await store.transact((transaction) => transaction.key("key_1"));
      expect(found?.credits).toBe(1);
    });
  });

  describe("steps at the same time", () => {
    test("run one after another: no change is lost, however long each takes", async () => {
      await store.transact((transaction) => transaction.putKey(key));
      const add = () =>
        store.transact(async (transaction) => {
          const current = await transaction.key("key_1");
          await turn();
          await transaction.putKey({ ...key, credits: (current?.credits ?? 0) + 1 });
        });
      await Promise.all(Array.from({ length: 25 }, add));
      const found = await store.transact((transaction) => transaction.key("key_1"));
      expect(found?.credits).toBe(25);
    });
  });

  describe("the jobs of a key", () => {
    test("come newest first, by the order of their creation and not by time", async () => {
      const added = await addJobs(job("job_b", { createdAt: 5 }), job("job_a", { createdAt: 3 }));
      expect(await ids()).toEqual(["job_a", "job_b"]);
      expect((added[1]?.sequence ?? 0) > (added[0]?.sequence ?? 0)).toBe(true);
    });

    test("come in pages that stay the same while jobs are added", async () => {
      const names = Array.from({ length: 7 }, (_unused, index) => `job_${index}`);
      const added = await addJobs(...names.map((name) => job(name)));
      const before = added[4];
      await addJobs(job("job_7"), job("job_8"), job("job_other", { keyId: "key_2" }));
      const behind = before === undefined ? {} : { before };
      expect(await ids({ limit: 2, ...behind })).toEqual(["job_3", "job_2"]);
      expect(await ids({ limit: 9, ...behind })).toEqual(["job_3", "job_2", "job_1", "job_0"]);
    });

    test("come in whole pages although jobs of the pages were removed", async () => {
      const added = await addJobs(...["job_0", "job_1", "job_2", "job_3"].map((name) => job(name)));
      const [, removed, , before] = added;
      await store.transact(async (transaction) => {
        if (removed !== undefined) await transaction.removeJob(removed);
      });
      const behind = before === undefined ? {} : { before };
      expect(await ids({ limit: 2, ...behind })).toEqual(["job_2", "job_0"]);
    });

    test("can be asked for by status and by age, and the limit counts what is found", async () => {
      const [first] = await addJobs(
        job("job_0", { status: "failed", createdAt: 1 }),
        job("job_1", { createdAt: 2 }),
        job("job_2", { status: "failed", createdAt: 3 }),
        job("job_3", { createdAt: 4 }),
      );
      expect(await ids({ status: "failed", limit: 1 })).toEqual(["job_2"]);
      expect(await ids({ status: "failed" })).toEqual(["job_2", "job_0"]);
      expect(await ids({ createdUntil: 3 })).toEqual(["job_2", "job_1", "job_0"]);
      await store.transact(async (transaction) => {
        if (first !== undefined) await transaction.putJob({ ...first, status: "succeeded" });
      });
      expect(await ids({ status: "failed" })).toEqual(["job_2"]);
      expect(await ids()).toEqual(["job_3", "job_2", "job_1", "job_0"]);
    });

    test("keep the bytes of their images", async () => {
      const [added] = await addJobs(job("job_0"));
      const bytes = Uint8Array.of(0, 255, 128);
      await store.transact(async (transaction) => {
        if (added !== undefined) {
          await transaction.putJob({ ...added, result: { bytes, width: 1, height: 3 } });
        }
      });
      const found = await store.transact((transaction) => transaction.job("job_0"));
      expect(found?.result).toEqual({ bytes, width: 1, height: 3 });
    });
  });

  describe("the newest of the whole server", () => {
    test("jobs come newest first whosever they are, by status too, and no more than asked for", async () => {
      await addJobs(
        job("job_0", { status: "failed" }),
        job("job_1", { keyId: "key_2" }),
        job("job_2"),
        job("job_3", { keyId: "key_2", status: "failed" }),
      );
      expect(await latest()).toEqual(["job_3", "job_2", "job_1", "job_0"]);
      expect(await latest(undefined, 2)).toEqual(["job_3", "job_2"]);
      expect(await latest("failed")).toEqual(["job_3", "job_0"]);
      expect(await latest("running", 1)).toEqual(["job_2"]);
      const counts = await store.transact((transaction) => transaction.jobCounts());
      expect(counts).toEqual({ queued: 0, running: 2, succeeded: 0, failed: 2 });
    });

    test("jobs that a step removed are gone, and those of a step that throws are back", async () => {
      const [first, second] = await addJobs(job("job_0"), job("job_1", { keyId: "key_2" }));
      await failing(async (transaction) => {
        if (first !== undefined) await transaction.removeJob(first);
        await transaction.addJob(job("job_2"));
      });
      expect(await latest()).toEqual(["job_1", "job_0"]);
      await store.transact(async (transaction) => {
        if (second !== undefined) await transaction.removeJob(second);
      });
      expect(await latest()).toEqual(["job_0"]);
    });

    test("keys and deliveries come newest first and no more than asked for", async () => {
      await store.transact(async (transaction) => {
        for (const number of [1, 2, 3]) {
          const names = { id: `key_${number}`, token: `svc_live_${number}` };
          await transaction.putKey({ ...key, ...names });
          await transaction.putDelivery({ ...delivery, id: `dlv_${number}` });
        }
        await transaction.putKey({ ...key, credits: 5 });
        await transaction.putDelivery({ ...delivery, state: "delivered" });
      });
      await store.transact(async (transaction) => {
        const keys = await transaction.latestKeys(2);
        expect(keys.map(({ id }) => id)).toEqual(["key_3", "key_2"]);
        const { deliveries, total } = await transaction.latestDeliveries(2);
        expect(deliveries.map(({ id }) => id)).toEqual(["dlv_3", "dlv_2"]);
        expect(total).toBe(3);
      });
    });
  });
}
