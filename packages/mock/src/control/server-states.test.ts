import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller } from "../../test/caller.ts";
import { nextIds, observed } from "../../test/observed.ts";
import { receiver, type ReceiverAnswer } from "../../test/receiver.ts";

const hook = "https://shop.example/hook";
const failing: ReceiverAnswer = () => new Response(null, { status: 500 });

function setUp(options: Parameters<typeof createMock>[0] = {}, answer?: ReceiverAnswer) {
  const hooks = receiver(answer);
  const mock = createMock({ clock: "manual", seed: "back", sendWebhook: hooks.send, ...options });
  hooks.watch(mock.clock);
  const seconds = () => hooks.received.map(({ at }) => (at - Date.UTC(2026, 0, 1)) / 1_000);
  return { mock, call: caller(mock), received: hooks.received, seconds };
}

describe("a server that is put back to a snapshot", () => {
  test("goes on in the middle of a schedule of retries, as often as it is put back", async () => {
    const { mock, call, received, seconds } = setUp({}, failing);
    await call.submit({ webhook_url: hook });
    await mock.clock.advance("3s");
    const snapshot = await mock.snapshot();
    expect(snapshot.takenAt).toBe(mock.clock.now());
    await mock.clock.advance("1h");
    expect(seconds()).toEqual([1.5, 2.5, 6.5, 22.5]);
    const bytes = received.map((one) => Buffer.from(one.bytes).toString("utf8"));
    for (let again = 0; again < 2; again += 1) {
      received.length = 0;
      await mock.restore(snapshot);
      expect(mock.clock.now()).toBe(snapshot.takenAt);
      expect(await mock.webhooks.deliveries()).toMatchObject([
        { state: "pending", attempts: [{ status: 500 }, { status: 500 }] },
      ]);
      await mock.clock.advance("1h");
      expect(seconds()).toEqual([6.5, 22.5]);
      expect(Buffer.from(received[0]?.bytes ?? []).toString("utf8")).toBe(bytes[2]);
      expect(await mock.webhooks.deliveries()).toMatchObject([{ state: "given-up" }]);
    }
  });

  test("makes an attempt anew that was under way", async () => {
    let hangs = true;
    const { mock, call, received, seconds } = setUp({}, () =>
      hangs ? new Promise<Response>(() => undefined) : new Response(),
    );
    await call.submit({ webhook_url: hook });
    await mock.clock.advance("3s");
    const snapshot = await mock.snapshot();
    hangs = false;
    await mock.restore(snapshot);
    expect(received[0]?.request.signal.aborted).toBe(true);
    await mock.clock.advance("1h");
    expect(seconds()).toEqual([1.5, 3]);
    expect(await mock.webhooks.deliveries()).toMatchObject([
      { state: "delivered", attempts: [{ status: 200 }] },
    ]);
  });

  test("lets its jobs end when they would have, running and waiting ones", async () => {
    const { mock, call } = setUp({ concurrency: 1, options: { reportQueued: true } });
    const ids: string[] = [];
    for (const prompt of [null, "mock:slow=4000", "mock:content_blocked", "mock:never", null]) {
      ids.push((await call.submit({ prompt })).body.job_id);
    }
    await mock.clock.advance("1s");
    const snapshot = await mock.snapshot();
    await mock.clock.advance("1m");
    const later = await observed(mock);
    await mock.restore(snapshot);
    expect((await call.submit()).body.status).toBe("queued");
    await mock.restore(snapshot);
    await mock.clock.advance("1m");
    expect(await observed(mock)).toEqual(later);
    const { jobs } = (await call.list()).body;
    expect(jobs.map(({ status }) => status).toReversed()).toEqual([
      "succeeded",
      "succeeded",
      "failed",
      "running",
      "queued",
    ]);
  });

  test("asks the engine for nothing a second time, and keeps nothing that was sent", async () => {
    let rendered = 0;
    const { mock, call } = setUp({
      concurrency: 1,
      engine: {
        name: "counting",
        render: async () => {
          rendered += 1;
          throw new Error("no image");
        },
      },
    });
    await call.submit();
    await call.submit();
    const snapshot = await mock.snapshot();
    expect(rendered).toBe(2);
    for (let again = 0; again < 2; again += 1) {
      await mock.restore(snapshot);
      await mock.clock.advance("1m");
      expect((await call.list("?status_filter=failed")).body.jobs).toHaveLength(2);
    }
    expect(rendered).toBe(2);
  });

  test("rejects the calls that it holds, and answers those who repeat them", async () => {
    const { mock, call } = setUp();
    const key = { "idempotency-key": "order-1" };
    const held = call.submit({ wait: true }, key).catch(String);
    await mock.clock.advance("1s");
    const snapshot = await mock.snapshot();
    await mock.restore(snapshot);
    expect(await held).toContain("put back into an earlier state");
    const repeated = call.submit({ wait: true }, key);
    await mock.clock.advance("1s");
    expect((await repeated).body.status).toBe("succeeded");
    expect((await call.list()).body.jobs).toHaveLength(1);
  });

  test("answers a repeated call at the 90 s of the first", async () => {
    const { mock, call } = setUp();
    const key = { "idempotency-key": "order-1" };
    const slow = { wait: true, prompt: "mock:slow=100000" };
    void call.submit(slow, key).catch(String);
    await mock.clock.advance("60s");
    await mock.restore(await mock.snapshot());
    let answered = false;
    const repeated = call.submit(slow, key).finally(() => (answered = true));
    await mock.clock.advance(29_999);
    expect(answered).toBe(false);
    await mock.clock.advance(1);
    expect((await repeated).body.message).toContain("Not finished");
  });

  test("is not written to by what was under way before", async () => {
    let end: (() => void) | undefined;
    const { mock, call } = setUp({
      engine: {
        name: "slow",
        render: () => new Promise((_resolve, reject) => (end = () => reject(new Error("no")))),
      },
    });
    const snapshot = await mock.snapshot();
    await call.submit();
    const moved = mock.clock.advance("2s");
    await expect.poll(() => end, { interval: 1 }).toBeDefined();
    await mock.restore(snapshot);
    end?.();
    expect(await moved).toBe(snapshot.takenAt);
    await mock.clock.runAll();
    expect((await call.list()).body.jobs).toEqual([]);
    expect(mock.clock.now()).toBe(snapshot.takenAt);
  });

  test("remembers idempotency keys, purchases, rate windows and what was said of next jobs", async () => {
    const { mock, call } = setUp();
    const limited = caller(mock, mock.keys.limited);
    const key = { "idempotency-key": "order-1" };
    const order = { pack_slug: "demo", shared_payment_granted_token: "spt_processing_1" };
    const first = await call.submit({}, key);
    const bought = await call.purchase(order);
    for (let calls = 0; calls < 4; calls += 1) await limited.account();
    mock.nextJob({ outcome: "storage_failed" });
    const snapshot = await mock.snapshot();
    for (let again = 0; again < 2; again += 1) {
      await mock.restore(snapshot);
      expect((await call.submit({}, key)).body.job_id).toBe(first.body.job_id);
      expect((await call.submit({ seed: 1 }, key)).status).toBe(409);
      await mock.settlePayment(bought.body.payment_intent_id);
      expect((await call.account()).body.credits_remaining).toBe(1_092);
      expect([(await limited.account()).status, (await limited.account()).status]).toEqual([
        200, 429,
      ]);
      const { body } = await call.submit();
      await mock.clock.advance("2s");
      expect((await call.poll(body.job_id)).body.error_message).toBe("storage_failed");
    }
  });

  test("leaves the timers of others the time that they had left", async () => {
    const { mock } = setUp();
    const start = mock.clock.now();
    const snapshot = await mock.snapshot();
    await mock.clock.advance("1h");
    const woken = mock.clock.sleep(5_000).then(() => mock.clock.now());
    await mock.clock.advance("2s");
    await mock.restore(snapshot);
    await mock.clock.advance("3s");
    expect(await woken).toBe(start + 3_000);
  });

  test("has the snapshot's time on a real clock too", async () => {
    const mock = createMock({ latency: "1h" });
    const call = caller(mock);
    const { body } = await call.submit();
    const snapshot = await mock.snapshot();
    await mock.clock.advance("1h");
    expect((await call.poll(body.job_id)).body.status).toBe("succeeded");
    await mock.restore(snapshot);
    expect(Math.abs(mock.clock.now() - snapshot.takenAt)).toBeLessThan(60_000);
    expect((await call.poll(body.job_id)).body.status).toBe("running");
    await mock.clock.advance("1h");
    expect((await call.poll(body.job_id)).body.status).toBe("succeeded");
    mock.close();
  });

  test("takes no snapshot but its own", async () => {
    const [{ mock }, other] = [setUp(), setUp()];
    await expect(mock.restore(await other.mock.snapshot())).rejects.toThrow(/^snapshot: /);
  });
});

describe("a server that is reset", () => {
  test("is as it was at the start: the same ids again, at the same times", async () => {
    const { mock, call } = setUp({}, failing);
    const run = async (): Promise<unknown> => {
      await call.submit({ webhook_url: hook });
      await mock.clock.advance("3s");
      await call.submit({ prompt: "mock:never", webhook_url: hook });
      return [await observed(mock), await nextIds(mock)];
    };
    const first = await run();
    mock.nextJob({ outcome: "never" });
    await mock.reset();
    expect(mock.clock.now()).toBe(Date.UTC(2026, 0, 1));
    expect(mock.clock.pending).toBe(0);
    expect((await call.list()).body.jobs).toEqual([]);
    await mock.reset();
    expect(await run()).toEqual(first);
  });

  test("has its default keys and no others", async () => {
    const { mock } = setUp();
    const { token } = await mock.createKey();
    await caller(mock).submit();
    await mock.reset();
    expect((await caller(mock, token).account()).status).toBe(401);
    expect((await caller(mock).account()).body).toMatchObject({
      credits_remaining: 1_000,
      total_calls: 1,
    });
  });

  test("rejects the calls that it holds, and can be put back to a snapshot from before", async () => {
    const { mock, call } = setUp();
    const { body } = await call.submit();
    const snapshot = await mock.snapshot();
    const held = call.submit({ wait: true }).catch(String);
    await mock.clock.advance("1s");
    await mock.reset();
    expect(await held).toContain("was reset");
    await mock.restore(snapshot);
    await mock.clock.advance("2s");
    expect((await call.poll(body.job_id)).body.status).toBe("succeeded");
  });

  test("begins anew at once, without anybody waiting for it", async () => {
    const { mock, call } = setUp();
    await call.submit();
    void mock.reset();
    expect((await call.list()).body.jobs).toEqual([]);
  });

  test("has the machine's time again on a real clock", async () => {
    const mock = createMock();
    await mock.clock.advance("30d");
    await mock.reset();
    expect(Math.abs(mock.clock.now() - Date.now())).toBeLessThan(60_000);
    mock.close();
  });

  test("is refused once it is closed", async () => {
    const { mock } = setUp();
    const snapshot = await mock.snapshot();
    mock.close();
    await expect(mock.reset()).rejects.toThrow("has been closed");
    await expect(mock.restore(snapshot)).rejects.toThrow("has been closed");
    await expect(mock.snapshot()).rejects.toThrow("has been closed");
  });
});
