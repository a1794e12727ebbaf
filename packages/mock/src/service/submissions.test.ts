import { expect, test } from "vitest";

import { stockEngine } from "../engine/stock.ts";
import { MemoryStore } from "../store/memory-store.ts";
import type { Store, Transaction } from "../store/store.ts";
import { bareService } from "../../test/bare-service.ts";
import { tryOn } from "../../test/caller.ts";

/** Creates a service on a store that counts its steps and can fail at a write. */
async function countingService() {
  const memory = new MemoryStore();
  const control: { steps: number; failAt: keyof Transaction | undefined } = {
    steps: 0,
    failAt: undefined,
  };
  const failing = (transaction: Transaction): Transaction =>
    new Proxy(transaction, {
      get(target, name) {
        if (name === control.failAt) throw new Error("disk full");
        // All members of the interface are methods.
        const method = Reflect.get(target, name) as (...values: unknown[]) => unknown;
        return method.bind(target);
      },
    });
  const store: Store = {
    transact(work) {
      control.steps += 1;
      return memory.transact((transaction) => work(failing(transaction)));
    },
  };
  const { service } = bareService({ store, engine: stockEngine() });
  const key = await service.keys.create({ token: "svc_live_own", credits: 20 });
  const body = tryOn({ wait: false });
  const submit = () =>
    service.submissions.submit({
      keyId: key.id,
      fields: body,
      body,
      idempotencyKey: "order-1",
      origin: "https://a.example",
    });
  const contents = async () => ({
    ledger: (await service.ledger(key.token))?.entries.map(({ credits }) => credits),
    jobs: memory.transact((transaction) => transaction.jobs({ keyId: key.id, limit: 9 })).length,
    record: memory.transact((transaction) => transaction.idempotency(key.id, "order-1")),
  });
  return { control, service, key, submit, contents };
}

test("an asynchronous submission takes one step of the store, and one for authentication", async () => {
  const { control, service, key, submit } = await countingService();
  control.steps = 0;
  await service.keys.admit(key.token);
  await submit();
  expect(control.steps).toBe(2);
});

test.each(["addJob", "putKey", "addLedgerEntry", "putIdempotency"] as const)(
  "a submission that fails at %s leaves neither job nor charge nor record",
  async (write) => {
    const { control, submit, contents } = await countingService();
    control.failAt = write;
    await expect(submit()).rejects.toThrow("disk full");
    expect(await contents()).toEqual({ ledger: [20], jobs: 0, record: undefined });
    control.failAt = undefined;
    const { job, creditsRemaining } = await submit();
    expect(creditsRemaining).toBe(12);
    expect(await contents()).toMatchObject({
      ledger: [20, -8],
      jobs: 1,
      record: { jobId: job.id },
    });
  },
);

test("concurrent submissions under one key create one job and one charge", async () => {
  const { submit, contents } = await countingService();
  const responses = await Promise.all([submit(), submit(), submit()]);
  expect(new Set(responses.map(({ job }) => job.id)).size).toBe(1);
  expect(responses.map(({ replayed }) => replayed)).toEqual([false, true, true]);
  expect(await contents()).toMatchObject({ ledger: [20, -8], jobs: 1 });
});
