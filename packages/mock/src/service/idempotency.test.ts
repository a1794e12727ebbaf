import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller } from "../../test/caller.ts";
import { checkReplayChargesOnce } from "../../test/checks.ts";
import { covers } from "../../test/covers.ts";

const key = { "idempotency-key": "order-1" };

function setUp(options: Parameters<typeof createMock>[0] = {}) {
  const mock = createMock({ clock: "manual", seed: "idempotency", ...options });
  return { mock, call: caller(mock) };
}

describe("a submission under an idempotency key", () => {
  test("is answered as the first time when it comes again, and charged once", async () => {
    covers("submit.idempotency-key.same-body");
    await expect(checkReplayChargesOnce(setUp().mock)).resolves.toBeUndefined();
  });

  test("keeps the status of its first answer although the job has ended since", async () => {
    covers("submit.idempotency-key.same-body");
    const { mock, call } = setUp();
    const first = await call.submit({}, key);
    await mock.clock.advance("2s");
    const again = await call.submit({}, key);
    expect(again.body).toMatchObject({ status: "running", result_url: null });
    expect((await call.poll(first.body.job_id)).body.status).toBe("succeeded");
  });

  test("replays a held success with a fresh address and the balance of today", async () => {
    covers("submit.idempotency-key.same-body");
    const { mock, call } = setUp();
    const held = call.submit({ wait: true }, key);
    await mock.clock.advance("2s");
    const first = await held;
    await call.submit({ output_size: "4K" });
    await mock.clock.advance("1h");
    const again = await call.submit({ wait: true }, key);
    expect(again.body).toMatchObject({ job_id: first.body.job_id, status: "succeeded" });
    expect(again.body.result_url).not.toBe(first.body.result_url);
    expect(first.body.credits_remaining).toBe(992);
    expect(again.body.credits_remaining).toBe(972);
  });

  test("replays a failure and the message of the 90 seconds too", async () => {
    covers("submit.idempotency-key.same-body");
    const { mock, call } = setUp();
    const failing = call.submit({ wait: true, prompt: "mock:content_blocked" }, key);
    await mock.clock.advance("2s");
    const other = { "idempotency-key": "order-2" };
    const slow = call.submit({ wait: true, prompt: "mock:slow=100000" }, other);
    await mock.clock.advance("2m");
    const failedAgain = await call.submit({ wait: true, prompt: "mock:content_blocked" }, key);
    expect(failedAgain.body).toEqual({ ...(await failing).body, credits_remaining: 984 });
    expect(failedAgain.body).toMatchObject({ status: "failed", error_message: "content_blocked" });
    const slowAgain = await call.submit({ wait: true, prompt: "mock:slow=100000" }, other);
    expect(slowAgain.body).toEqual((await slow).body);
    expect(slowAgain.body).toMatchObject({ status: "running", error_code: null });
  });

  test("is the same body whatever the order of properties and the white space", async () => {
    covers("submit.idempotency-key.comparison");
    const { mock, call } = setUp();
    const headers = { ...key, "content-type": "application/json" };
    const bodies = [
      '{"person_url":"https://a.example/p.png","garment_urls":["https://a.example/g.png"],"wait":false,"metadata":{"a":1,"b":{"c":2,"d":[3]}}}',
      '{ "metadata": { "b": { "d": [ 3 ], "c": 2 }, "a": 1 },\n"wait": false, "garment_urls": ["https://a.example/g.png"], "person_url": "https://a.example/p.png" }',
    ];
    const answers = [];
    for (const body of bodies) {
      answers.push(await call.call("/api/v1/tryon", { method: "POST", headers, body }));
    }
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  test.each([
    ["another value", { metadata: { order: 2 } }],
    ["another order in a list", { metadata: { list: [2, 1] } }],
    ["one more unknown property", { metadata: { order: 1 }, campaign: "spring" }],
    ["an alias in place of the canonical name", { mode: "async", metadata: { order: 1 } }],
  ])("conflicts with a body that differs by %s", async (_difference, fields) => {
    covers("submit.idempotency-key.conflict", "submit.idempotency-key.comparison");
    const { mock, call } = setUp();
    const first = "list" in fields.metadata ? { list: [1, 2] } : { order: 1 };
    await call.submit({ metadata: first }, key);
    const other = await call.submit(fields, key);
    expect(other.status).toBe(409);
    expect(other.detail).toContain("Idempotency-Key");
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  test("conflicts with another body before the images of that body are fetched", async () => {
    covers("submit.idempotency-key.conflict");
    const { call } = setUp();
    await call.submit({}, key);
    const other = await call.submit({ person_url: "https://gone.invalid/p.png" }, key);
    expect(other.status).toBe(409);
  });

  test("is bound to the key that sent it", async () => {
    covers("submit.idempotency-key.comparison");
    const { mock, call } = setUp();
    const first = await call.submit({}, key);
    const other = await caller(mock, mock.keys.test).submit({}, key);
    expect(other.status).toBe(200);
    expect(other.body.job_id).not.toBe(first.body.job_id);
  });

  test("counts as none when the header is empty", async () => {
    const { call } = setUp();
    const first = await call.submit({}, { "idempotency-key": "" });
    const second = await call.submit({}, { "idempotency-key": "" });
    expect(second.body.job_id).not.toBe(first.body.job_id);
  });

  test("leaves no record when it was refused", async () => {
    const { mock } = setUp();
    const poor = await mock.createKey({ credits: 0 });
    const call = caller(mock, poor.token);
    expect((await call.submit({}, key)).status).toBe(402);
    expect((await call.submit({ person_url: "http://a.example/p.png" }, key)).status).toBe(400);
    expect((await call.submit({ seed: -1 }, key)).status).toBe(422);
    await call.purchase({ pack_slug: "demo", shared_payment_granted_token: "spt_one" });
    expect((await call.submit({ output_size: "2K" }, key)).status).toBe(200);
  });
});

describe("twins that come while the first call still waits", () => {
  test("all get its answer, for one charge", async () => {
    covers("submit.idempotency-key.concurrent");
    const { mock, call } = setUp();
    const held = [1, 2, 3].map(() => call.submit({ wait: true }, key));
    await mock.clock.advance("2s");
    const answers = await Promise.all(held);
    expect(new Set(answers.map(({ body }) => body.job_id)).size).toBe(1);
    expect(answers.map(({ body }) => body.status)).toEqual(["succeeded", "succeeded", "succeeded"]);
    expect(
      answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true"),
    ).toHaveLength(2);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  test("get the same message at the 90 seconds of the first", async () => {
    covers("submit.idempotency-key.concurrent");
    const { mock, call } = setUp();
    const first = call.submit({ wait: true, prompt: "mock:never" }, key);
    await mock.clock.advance("60s");
    const twin = call.submit({ wait: true, prompt: "mock:never" }, key);
    await mock.clock.advance("30s");
    expect((await twin).body).toEqual((await first).body);
    expect((await twin).body.message).toContain("/api/v1/tryon/job_");
  });

  test("get 409 where the server locks the key, and the answer afterwards", async () => {
    covers("submit.idempotency-key.concurrent");
    const { mock, call } = setUp({ options: { concurrentTwin: 409 } });
    const first = call.submit({ wait: true }, key);
    await mock.clock.advance("1s");
    expect((await call.submit({ wait: true }, key)).status).toBe(409);
    expect((await call.submit({ wait: true, seed: 1 }, key)).status).toBe(409);
    await mock.clock.advance("1s");
    const again = await call.submit({ wait: true }, key);
    expect(again.body).toMatchObject({ job_id: (await first).body.job_id, status: "succeeded" });
  });
});

describe("how long an idempotency key is remembered", () => {
  test.each([
    [24, "24h"],
    [1, "1h"],
  ] as const)("with idempotencyHours %i it is a new one after %s", async (hours, span) => {
    covers("limits.idempotency-key.retention");
    const { mock, call } = setUp({ options: { idempotencyHours: hours } });
    const first = await call.submit({}, key);
    await mock.clock.advance(hours * 3_600_000 - 1);
    expect((await call.submit({}, key)).body.job_id).toBe(first.body.job_id);
    expect((await call.submit({ seed: 1 }, key)).status).toBe(409);
    await mock.clock.advance(1);
    const later = await call.submit({ seed: 1 }, key);
    expect(later.status, `after ${span}`).toBe(200);
    expect(later.body.job_id).not.toBe(first.body.job_id);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(984);
  });
});

describe("the header of a replay", () => {
  test.each([
    [true, "true"],
    [false, null],
  ])("is with replayHeader %s: %s", async (replayHeader, expected) => {
    covers("submit.idempotency-key.same-body");
    const { call } = setUp({ options: { replayHeader } });
    await call.submit({}, key);
    const again = await call.submit({}, key);
    expect(again.headers.get("idempotent-replayed")).toBe(expected);
  });
});
