import { expect, test, vi } from "vitest";

import { stockEngine } from "../engine/stock.ts";
import { Store } from "../store/store.ts";
import { bareService } from "../../test/bare-service.ts";
import { tryOn } from "../../test/caller.ts";
import { limits } from "./catalogue.ts";

/** Creates a service, and the tables and steps of its store. */
async function setUp() {
  const store = new Store();
  const steps = vi.spyOn(store, "transact");
  const options = { refusedKey: "kept", dailySpendCap: 100_000 } as const;
  const { service, system } = bareService({ store, engine: stockEngine(), options });
  const key = service.keys.create({ token: "svc_live_own", credits: 20 });
  const body = tryOn({ wait: false });
  const submit = (idempotencyKey: string | undefined) =>
    service.submissions.submit({
      keyId: key.id,
      fields: body,
      body,
      idempotencyKey,
      origin: "https://a.example",
    });
  const contents = () =>
    store.transact(({ ledger, jobs, idempotency }) => ({
      ledger: ledger.all(key.id).map(({ credits }) => credits),
      jobs: jobs.count(key.id),
      records: idempotency.all().map(({ jobId }) => jobId),
    }));
  return { steps, store, service, system, key, submit, contents };
}

test("an asynchronous submission takes one step of the store, and one for authentication", async () => {
  const { steps, service, key, submit, contents } = await setUp();
  steps.mockClear();
  service.keys.admit(key.token);
  await submit(undefined);
  expect(steps).toHaveBeenCalledTimes(2);
  expect(contents()).toEqual({ ledger: [20, -8], jobs: 1, records: [] });
});

test.each(["jobs", "keys", "ledger", "idempotency", "unfinished"] as const)(
  "a submission that fails at its write to %s leaves neither job nor charge nor record",
  async (name) => {
    const { store, submit, contents } = await setUp();
    const table = store.transact((tables) => tables[name]);
    vi.spyOn(table, "put").mockImplementationOnce(() => {
      throw new Error("disk full");
    });
    await expect(submit("order-1")).rejects.toThrow("disk full");
    expect(contents()).toEqual({ ledger: [20], jobs: 0, records: [] });
    const { job, creditsRemaining } = await submit("order-1");
    expect(creditsRemaining).toBe(12);
    expect(contents()).toEqual({ ledger: [20, -8], jobs: 1, records: [job.id] });
  },
);

test("a submission over the daily cap is refused until the next day in UTC", async () => {
  const { store, system, key, submit } = await setUp();
  const day = system.clock.now() / limits.day;
  store.transact(({ keys }) => keys.put({ ...key, day, daySpent: 99_988 }));
  await submit(undefined);
  await expect(submit(undefined)).rejects.toThrow("cap of 100000 credits a day");
  await system.clock.advance("24h");
  expect((await submit(undefined)).creditsRemaining).toBe(4);
});
