import { describe, expect, test } from "vitest";

import type { Engine } from "../engine/engine.ts";
import { stockEngine } from "../engine/stock.ts";
import { createMock } from "../mock.ts";
import { caller, manualServer } from "../../test/caller.ts";
import { receiver } from "../../test/receiver.ts";
import { covers } from "../../test/covers.ts";

const key = { "idempotency-key": "order-1" };

/** Creates an engine that is unreachable for its first `failures` jobs. */
function unreachable(failures: number): Engine & { rendered: number } {
  const stock = stockEngine();
  let attempts = 0;
  return {
    name: "unreachable",
    rendered: 0,
    async prepare() {
      attempts += 1;
      if (attempts <= failures) throw new Error("connection refused");
    },
    render(request) {
      this.rendered += 1;
      return stock.render(request);
    },
  };
}

describe("an unreachable engine", () => {
  test("causes a 500 without a charge, a job or a webhook", async () => {
    covers("errors.500.not-charged");
    const hooks = receiver();
    const engine = unreachable(1);
    const { mock, call } = manualServer({ engine, sendWebhook: hooks.send });
    const response = await call.submit({ webhook_url: "https://shop.example/hook" });
    expect(response.status).toBe(500);
    expect(response.detail).not.toContain("connection refused");
    await mock.clock.runAll();
    expect((await call.list()).body.jobs).toEqual([]);
    expect((await mock.ledger(mock.keys.live))?.entries.map(({ credits }) => credits)).toEqual([
      1_000, -8, 8,
    ]);
    expect(hooks.received).toEqual([]);
    expect(engine.rendered).toBe(0);
  });

  test("leaves the idempotency key unused, so a retry creates the job", async () => {
    const { mock, call } = manualServer({ engine: unreachable(1) });
    expect((await call.submit({}, key)).status).toBe(500);
    expect((await call.submit({}, key)).status).toBe(200);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  test("causes a 500 that the idempotency key replays with stored500", async () => {
    covers("errors.500.replayed");
    const mock = createMock({
      clock: "manual",
      engine: unreachable(2),
      options: { stored500: true },
    });
    const call = caller(mock);
    expect((await call.submit()).status).toBe(500);
    const first = await call.submit({}, key);
    const again = await call.submit({}, key);
    expect([first.status, again.status]).toEqual([500, 500]);
    expect(again.body).toEqual(first.body);
    expect((await call.submit({ seed: 1 }, key)).status).toBe(409);
    expect((await call.submit({}, { "idempotency-key": "order-2" })).status).toBe(200);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  test.each([false, true])(
    "causes the same 500 for a concurrent repeat, and gives its slot to another job (stored500 %s)",
    async (stored500) => {
      const prepared = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let attempts = 0;
      const prepare = async () => prepared[attempts++]?.promise;
      const engine: Engine = { ...stockEngine(), prepare };
      const { mock, call } = manualServer({ engine, concurrency: 1, options: { stored500 } });
      const requests = [call.submit({}, key), call.submit({}, key)];
      await expect.poll(() => attempts, { interval: 1 }).toBe(1);
      const other = call.submit({ wait: true }, { "idempotency-key": "order-2" });
      await expect.poll(() => attempts, { interval: 1 }).toBe(2);
      prepared[0]?.reject(new Error("down"));
      const statuses = (await Promise.all(requests)).map(({ status }) => status);
      expect(statuses).toEqual([500, 500]);
      prepared[1]?.resolve();
      await mock.clock.advance("2s");
      expect((await other).body.status).toBe("succeeded");
    },
  );

  test("releases the slot of its job", async () => {
    const mock = createMock({
      clock: "manual",
      engine: unreachable(2),
      concurrency: 1,
      options: { reportQueued: true },
    });
    const call = caller(mock);
    expect((await call.submit()).status).toBe(500);
    // The engine is not needed by test keys. The second failed job had no slot to release.
    expect((await caller(mock, mock.keys.test).submit()).body.status).toBe("running");
    expect((await call.submit()).status).toBe(500);
    expect((await call.submit()).body.status).toBe("queued");
  });
});
