import { describe, expect, test } from "vitest";

import { stockEngine } from "../engine/stock.ts";
import { createMock } from "../mock.ts";
import { caller, finished, manualServer } from "../../test/caller.ts";
import type { NextJob } from "./next-job.ts";

const endings: readonly (readonly [NextJob, string, string | null, number | null])[] = [
  [{ outcome: "succeeded" }, "succeeded", null, 1_500],
  [{ durationMs: 700 }, "succeeded", null, 700],
  [{ durationMs: 0 }, "succeeded", null, 0],
  [{ outcome: "content_blocked" }, "failed", "content_blocked", 1_500],
  [{ outcome: "storage_failed", durationMs: 5 }, "failed", "storage_failed", 5],
  [{ outcome: "failed" }, "failed", "generation_failed", 1_500],
  [{ outcome: "failed", errorMessage: "odd 👗" }, "failed", "odd 👗", 1_500],
  [{ errorMessage: "odd" }, "failed", "odd", 1_500],
  [{ outcome: "never" }, "running", null, null],
];

const invalid: readonly (readonly [unknown, string])[] = [
  [null, "The argument must be an object"],
  [{ errorMessage: "x".repeat(1_001) }, "errorMessage must be a text of 1"],
  [{ outcome: "never", errorMessage: "x" }, "errorMessage requires the outcome"],
  [{ outcome: "never", durationMs: 1 }, "durationMs contradicts the outcome"],
  [{ durationMs: Number.POSITIVE_INFINITY }, "durationMs must be"],
  [{ apiKey: "" }, "apiKey must be the token of a key"],
  [{ apiKey: 1 }, "apiKey must be"],
];

describe("the next job", () => {
  test.each(endings)("has the outcome %j", async (input, status, message, duration) => {
    const mock = createMock({ clock: "manual" });
    mock.nextJob(input);
    expect(await finished(mock, caller(mock))).toMatchObject({
      status,
      error_code: status === "failed" ? "generation_failed" : null,
      error_message: message,
      duration_ms: duration,
    });
  });

  test("is set in the order of the calls, and may be limited to one key", async () => {
    const mock = createMock({ clock: "manual" });
    const [call, other] = [caller(mock), caller(mock, mock.keys.test)];
    mock.nextJob({ outcome: "storage_failed", apiKey: mock.keys.test });
    mock.nextJob({ outcome: "content_blocked" });
    mock.nextJob({ outcome: "model_rejected" });
    const errors = [];
    for (const each of [call, call, call, other]) {
      errors.push((await finished(mock, each)).error_message);
    }
    expect(errors).toEqual(["content_blocked", "model_rejected", null, "storage_failed"]);
  });

  test("overrides its prompt, with and without magic", async () => {
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

  test("is not a rejected or replayed submission", async () => {
    const { mock, call } = manualServer();
    const key = { "idempotency-key": "order-1" };
    await call.submit({}, key);
    mock.nextJob({ outcome: "storage_failed" });
    await call.submit({}, key);
    expect((await caller(mock, mock.keys.empty).submit()).status).toBe(402);
    expect((await call.submit({ garment_urls: [] })).status).toBe(400);
    expect((await finished(mock, call)).error_message).toBe("storage_failed");
  });

  test("is not a submission whose engine is unavailable", async () => {
    let isDown = true;
    const stock = stockEngine();
    const prepare = async (): Promise<void> => {
      if (isDown) throw new Error("down");
    };
    const mock = createMock({ clock: "manual", engine: { ...stock, prepare } });
    mock.nextJob({ outcome: "storage_failed" });
    const call = caller(mock);
    expect((await call.submit()).status).toBe(500);
    isDown = false;
    expect((await finished(mock, call)).error_message).toBe("storage_failed");
  });

  test.each(invalid)("%j has an error with its field and limit", async (job, message) => {
    const mock = createMock({ clock: "manual" });
    // Callers without types may pass anything.
    const setNext = (): void => mock.nextJob(job as NextJob);
    expect(setNext).toThrow(TypeError);
    expect(setNext).toThrow(message);
    expect((await finished(mock, caller(mock))).status).toBe("succeeded");
  });
});
