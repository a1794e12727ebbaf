import { describe, expect, onTestFinished, test, vi } from "vitest";

import type { createMock } from "../mock.ts";
import { caller, manualServer } from "../../test/caller.ts";
import { covers } from "../../test/covers.ts";
import { textDigest } from "./digest.ts";

const key = { "idempotency-key": "order-1" };

function setUp(options: Parameters<typeof createMock>[0] = {}) {
  return manualServer({ seed: "idempotency", ...options });
}

describe("a submission under an idempotency key", () => {
  test("repeats the first response and charges once", async () => {
    covers("submit.idempotency-key.same-body");
    const { mock, call } = setUp();
    const first = await call.submit({ metadata: { order: 1 } }, key);
    const again = await call.submit({ metadata: { order: 1 } }, key);
    const { entries = [], balance } = (await mock.ledger(mock.keys.live)) ?? {};
    expect(entries.filter(({ cause }) => cause === "tryon")).toMatchObject([
      { credits: -8, jobId: first.body.job_id },
    ]);
    expect(balance).toBe(992);
    expect(again.body).toEqual(first.body);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await call.list()).body.jobs).toHaveLength(1);
  });

  test("repeats the first status although the job has ended", async () => {
    const { mock, call } = setUp();
    const first = await call.submit({}, key);
    await mock.clock.advance("2s");
    const again = await call.submit({}, key);
    expect(again.body).toMatchObject({ status: "running", result_url: null });
    expect((await call.poll(first.body.job_id)).body.status).toBe("succeeded");
  });

  test("repeats a synchronous success with a new result URL and the current balance", async () => {
    const { mock, call } = setUp();
    const request = call.submit({ wait: true }, key);
    await mock.clock.advance("2s");
    const first = await request;
    await call.submit({ output_size: "4K" });
    await mock.clock.advance("1h");
    const again = await call.submit({ wait: true }, key);
    expect(again.body).toMatchObject({ job_id: first.body.job_id, status: "succeeded" });
    expect(again.body.result_url).not.toBe(first.body.result_url);
    expect([first.body.message, again.body.message]).toEqual([null, null]);
    expect(first.body.credits_remaining).toBe(992);
    expect(again.body.credits_remaining).toBe(972);
  });

  test("repeats a failure and the message after 90 seconds", async () => {
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

  test("gets its response if the date is set past the expiry of the key meanwhile", async () => {
    const { mock, call } = setUp();
    const first = call.submit({ wait: true }, key);
    await mock.clock.advance(0);
    mock.clock.set(mock.clock.now() + 25 * 3_600_000);
    expect((await call.submit({}, { "idempotency-key": "order-2" })).status).toBe(200);
    await mock.clock.advance("2s");
    expect((await first).body).toMatchObject({ status: "succeeded" });
  });

  test("ignores the order of properties and white space", async () => {
    covers("submit.idempotency-key.comparison");
    const { mock, call } = setUp();
    const headers = { ...key, "content-type": "application/json" };
    const bodies = [
      '{"person_url":"https://a.example/p.png","garment_urls":["https://a.example/g.png"],"wait":false,"metadata":{"a":1,"b":{"c":2,"d":[3]}}}',
      '{ "metadata": { "b": { "d": [ 3 ], "c": 2 }, "a": 1 },\n"wait": false, "garment_urls": ["https://a.example/g.png"], "person_url": "https://a.example/p.png" }',
    ];
    const responses = [];
    for (const body of bodies) {
      responses.push(await call.call("/api/v1/tryon", { method: "POST", headers, body }));
    }
    expect(responses[1]?.body).toEqual(responses[0]?.body);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  test.each([
    ["another value", { metadata: { order: 2 } }],
    ["another order in a list", { metadata: { list: [2, 1] } }],
    ["one more unknown property", { metadata: { order: 1 }, campaign: "spring" }],
    ["an alias instead of the canonical name", { mode: "async", metadata: { order: 1 } }],
  ])("conflicts with a body that has %s", async (_difference, fields) => {
    const { mock, call } = setUp();
    const first = "list" in fields.metadata ? { list: [1, 2] } : { order: 1 };
    await call.submit({ metadata: first }, key);
    const other = await call.submit(fields, key);
    expect(other.status).toBe(409);
    expect(other.detail).toContain("Idempotency-Key");
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  test("conflicts with another body before its images are fetched", async () => {
    covers("submit.idempotency-key.conflict");
    const { call } = setUp();
    await call.submit({}, key);
    const other = await call.submit({ person_url: "https://gone.invalid/p.png" }, key);
    expect(other.status).toBe(409);
  });

  test("is independent of the same idempotency key of another API key", async () => {
    const { mock, call } = setUp();
    const first = await call.submit({}, key);
    const other = await caller(mock, mock.keys.test).submit({}, key);
    expect(other.status).toBe(200);
    expect(other.body.job_id).not.toBe(first.body.job_id);
  });

  test("ignores an empty idempotency key", async () => {
    const { call } = setUp();
    const first = await call.submit({}, { "idempotency-key": "" });
    const second = await call.submit({}, { "idempotency-key": "" });
    expect(second.body.job_id).not.toBe(first.body.job_id);
  });

  test("leaves the idempotency key unused if it is rejected", async () => {
    covers("submit.idempotency-key.refused");
    const { mock } = setUp();
    const withoutCredits = await mock.createKey({ credits: 0 });
    const call = caller(mock, withoutCredits.token);
    expect((await call.submit({}, key)).status).toBe(402);
    expect((await call.submit({ person_url: "http://a.example/p.png" }, key)).status).toBe(400);
    expect((await call.submit({ seed: -1 }, key)).status).toBe(422);
    await call.purchase({ pack_slug: "demo", shared_payment_granted_token: "spt_one" });
    expect((await call.submit({ output_size: "2K" }, key)).status).toBe(200);
  });
});

describe("concurrent repeats of a request", () => {
  test("share its response and one charge", async () => {
    covers("submit.idempotency-key.concurrent");
    const { mock, call } = setUp();
    const requests = [1, 2, 3].map(() => call.submit({ wait: true }, key));
    await mock.clock.advance("2s");
    const responses = await Promise.all(requests);
    expect(new Set(responses.map(({ body }) => body.job_id)).size).toBe(1);
    expect(responses.map(({ body }) => body.status)).toEqual([
      "succeeded",
      "succeeded",
      "succeeded",
    ]);
    expect(
      responses.filter(({ headers }) => headers.get("idempotent-replayed") === "true"),
    ).toHaveLength(2);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(992);
  });

  test("share its message after 90 seconds", async () => {
    const { mock, call } = setUp();
    const first = call.submit({ wait: true, prompt: "mock:never" }, key);
    await mock.clock.advance("60s");
    const repeat = call.submit({ wait: true, prompt: "mock:never" }, key);
    await mock.clock.advance("30s");
    expect((await repeat).body).toEqual((await first).body);
    expect((await repeat).body.message).toContain("/api/v1/tryon/job_");
  });

  test("get 409 with concurrentTwin 409, and its response afterwards", async () => {
    const { mock, call } = setUp({ options: { concurrentTwin: 409 } });
    const first = call.submit({ wait: true }, key);
    await mock.clock.advance("1s");
    const repeat = await call.submit({ wait: true }, key);
    expect([repeat.status, repeat.detail]).toEqual([409, expect.stringContaining("in progress")]);
    expect(mock.journal.entries().at(-1)?.refusal?.rule).toBe("submit.idempotency-key.concurrent");
    expect((await call.submit({ wait: true, seed: 1 }, key)).status).toBe(409);
    await mock.clock.advance("1s");
    const again = await call.submit({ wait: true }, key);
    expect(again.body).toMatchObject({ job_id: (await first).body.job_id, status: "succeeded" });
  });
});

describe("an idempotency key", () => {
  test.each([
    [24, "24h"],
    [0.5, "30m"],
    [1, "1h"],
  ] as const)("with idempotencyHours %d is unused again after %s", async (hours, span) => {
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

test.each([
  ["first", "running", "running"],
  ["current", "succeeded", "failed"],
] as const)("a replay with replayBody %s has the status %s or %s", async (...row) => {
  const [replayBody, ...statuses] = row;
  const { mock, call } = setUp({ options: { replayBody } });
  for (const [index, prompt] of [null, "mock:content_blocked"].entries()) {
    const header = { "idempotency-key": `order-${index}` };
    const { body } = await call.submit({ prompt }, header);
    expect((await call.submit({ prompt }, header)).body).toEqual(body);
    await mock.clock.advance("2s");
    const again = await call.submit({ prompt }, header);
    const { status, result_url, error_code, error_message } = (await call.poll(body.job_id)).body;
    const current = { ...body, status, result_url, error_code, error_message };
    const { credits_remaining } = again.body;
    expect(again.body).toEqual({ ...(replayBody === "first" ? body : current), credits_remaining });
    expect(again.body.status).toBe(statuses[index]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  }
  expect((await mock.ledger(mock.keys.live))?.balance).toBe(984);
});

describe("the option refusedKey kept", () => {
  const options = { refusedKey: "kept" } as const;

  test("repeats a 402 for its body, and conflicts with another one", async () => {
    const { mock } = setUp({ options });
    const withoutCredits = await mock.createKey({ credits: 0 });
    const call = caller(mock, withoutCredits.token);
    const first = await call.submit({}, key);
    expect(first.status).toBe(402);
    await call.purchase({ pack_slug: "demo", shared_payment_granted_token: "spt_one" });
    const again = await call.submit({}, key);
    expect([again.status, again.detail]).toEqual([402, first.detail]);
    expect((await call.submit({ seed: 1 }, key)).status).toBe(409);
    expect((await call.submit({}, key)).status).toBe(402);
    expect((await call.submit({}, { "idempotency-key": "order-2" })).status).toBe(200);
    await mock.clock.advance("24h");
    expect((await call.submit({ seed: 1 }, key)).status).toBe(200);
  });

  test("repeats the 400 of an image, but not that of an invalid request", async () => {
    const { mock, call } = setUp({ options });
    expect((await call.submit({ person_url: "http://a.example/p.png" }, key)).status).toBe(400);
    expect((await call.submit({ seed: -1 }, key)).status).toBe(422);
    const gone = { person_url: "https://gone.invalid/p.png" };
    const first = await call.submit(gone, key);
    expect(first.detail).toContain("person_url");
    expect((await call.submit(gone, key)).body).toEqual(first.body);
    expect((await call.submit({}, key)).status).toBe(409);
    expect((await call.submit(gone)).status).toBe(400);
    expect((await mock.ledger(mock.keys.live))?.balance).toBe(1_000);
  });
});

test("a replay has no header with replayHeader false", async () => {
  const { call } = setUp({ options: { replayHeader: false } });
  await call.submit({}, key);
  expect((await call.submit({}, key)).headers.get("idempotent-replayed")).toBeNull();
});

test("the digest of a body is the same outside of Node", async () => {
  const texts = ["", "Zoë 👗", "\ud800", "a".repeat(70_000)];
  const inNode = await Promise.all(texts.map(textDigest));
  vi.stubGlobal("process", undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(await Promise.all(texts.map(textDigest))).toEqual(inNode);
});
