import { describe, expect, test } from "vitest";

import { createMock } from "../mock.ts";
import { caller, finished } from "../../test/caller.ts";
import { bareService } from "../../test/bare-service.ts";
import { MemoryStore } from "../store/memory-store.ts";
import type { NextJob } from "./next-job.ts";

const endings: readonly (readonly [NextJob, Readonly<Record<string, unknown>>])[] = [
  [{ outcome: "succeeded" }, { status: "succeeded", error_code: null, duration_ms: 1_500 }],
  [{}, { status: "succeeded" }],
  [{ durationMs: 700 }, { status: "succeeded", duration_ms: 700 }],
  [{ durationMs: 0 }, { status: "succeeded", duration_ms: 0 }],
  [{ outcome: "content_blocked" }, { status: "failed", error_message: "content_blocked" }],
  [{ outcome: "model_rejected" }, { status: "failed", error_message: "model_rejected" }],
  [
    { outcome: "storage_failed", durationMs: 5 },
    { status: "failed", error_message: "storage_failed", duration_ms: 5 },
  ],
  [{ outcome: "failed" }, { status: "failed", error_message: "generation_failed" }],
  [
    { outcome: "failed", errorMessage: "odd 👗" },
    { status: "failed", error_message: "odd 👗" },
  ],
  [{ errorMessage: "odd" }, { status: "failed", error_code: "generation_failed" }],
  [{ outcome: "never" }, { status: "running" }],
];

const refused: readonly (readonly [unknown, string, typeof RangeError | typeof TypeError])[] = [
  [null, "nextJob takes an object", TypeError],
  ["never", "nextJob takes an object", TypeError],
  [{ outcom: "never" }, 'no "outcom"', TypeError],
  [{ outcome: "lost" }, "outcome has to be one of succeeded, content_blocked", RangeError],
  [{ outcome: "failed", errorMessage: "" }, "errorMessage has to have 1 to 1000", RangeError],
  [{ errorMessage: "x".repeat(1_001) }, "errorMessage has to have 1 to 1000", RangeError],
  [{ errorMessage: 7 }, "errorMessage has to be a text", TypeError],
  [{ outcome: "never", errorMessage: "x" }, "errorMessage goes with", TypeError],
  [{ outcome: "never", durationMs: 1 }, "durationMs does not go with", TypeError],
  [{ durationMs: "1s" }, "durationMs has to be a number of milliseconds; got a string", TypeError],
  [{ durationMs: -1 }, "durationMs has to be a number of milliseconds from 0 to", RangeError],
  [{ durationMs: Number.NaN }, "durationMs has to be", RangeError],
  [{ durationMs: Number.POSITIVE_INFINITY }, "durationMs has to be", RangeError],
  [{ apiKey: "" }, "apiKey has to be", TypeError],
  [{ apiKey: 1 }, "apiKey has to be", TypeError],
];

describe("the next job", () => {
  test.each(endings)("ends as was said: %j", async (said, expected) => {
    const mock = createMock({ clock: "manual" });
    mock.nextJob(said);
    expect(await finished(mock, caller(mock))).toMatchObject(expected);
  });

  test("counts for one job, and what was said first for the first", async () => {
    const mock = createMock({ clock: "manual" });
    const call = caller(mock);
    mock.nextJob({ outcome: "content_blocked" });
    mock.nextJob({ outcome: "model_rejected" });
    await Promise.all([call.submit(), call.submit(), call.submit()]);
    await mock.clock.advance("2s");
    const { jobs } = (await call.list()).body;
    expect(jobs.map(({ error_message }) => error_message).toReversed()).toEqual([
      "content_blocked",
      "model_rejected",
      null,
    ]);
  });

  test("may be that of one key, and others pass it by", async () => {
    const mock = createMock({ clock: "manual" });
    mock.nextJob({ outcome: "storage_failed", apiKey: mock.keys.test });
    mock.nextJob({ outcome: "model_rejected" });
    const [first, second] = [
      await finished(mock, caller(mock)),
      await finished(mock, caller(mock, mock.keys.test)),
    ];
    expect([first.error_message, second.error_message]).toEqual([
      "model_rejected",
      "storage_failed",
    ]);
  });

  test("ends as was said, whatever its prompt says, and also where magic is off", async () => {
    for (const magic of [true, false]) {
      const mock = createMock({ clock: "manual", magic });
      mock.nextJob({ outcome: "succeeded" });
      mock.nextJob({ outcome: "storage_failed" });
      const call = caller(mock);
      expect((await finished(mock, call, { prompt: "mock:never" })).status).toBe("succeeded");
      const other = await finished(mock, call, { prompt: "mock:content_blocked" });
      expect(other.error_message).toBe("storage_failed");
    }
  });

  test("is no submission that is refused, nor one that is replayed", async () => {
    const mock = createMock({ clock: "manual" });
    const call = caller(mock);
    const key = { "idempotency-key": "order-1" };
    await call.submit({}, key);
    mock.nextJob({ outcome: "storage_failed" });
    await call.submit({}, key);
    expect((await caller(mock, mock.keys.empty).submit()).status).toBe(402);
    expect((await call.submit({ garment_urls: [] })).status).toBe(400);
    expect((await finished(mock, call)).error_message).toBe("storage_failed");
  });

  test("is no job whose engine could not be reached", async () => {
    let down = true;
    const { service, system } = bareService({
      store: new MemoryStore(),
      engine: {
        name: "down at first",
        prepare: async () => {
          if (down) throw new Error("down");
        },
        render: async () => new Uint8Array(),
      },
    });
    const key = await service.keys.create({});
    const submit = () =>
      service.submissions.submit({
        keyId: key.id,
        fields: { person_url: "https://a.example/p", items: ["https://a.example/g"], wait: false },
        body: {},
        idempotencyKey: undefined,
        origin: "https://a.example",
      });
    service.nextJobs.add({
      outcome: { ending: "failed", errorMessage: "storage_failed", durationMs: null },
      apiKey: null,
    });
    await expect(submit()).rejects.toThrow("before the model");
    down = false;
    const { job } = await submit();
    await system.clock.advance("2s");
    expect((await service.jobs.get(key.id, job.id)).errorMessage).toBe("storage_failed");
  });

  test.each(refused)("is refused with the field and its bound: %j", async (said, message, kind) => {
    const mock = createMock({ clock: "manual" });
    // What callers without types may pass.
    const say = (): void => mock.nextJob(said as NextJob);
    expect(say).toThrow(kind);
    expect(say).toThrow(message);
    expect((await finished(mock, caller(mock))).status).toBe("succeeded");
  });
});
