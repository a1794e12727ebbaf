import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test, vi } from "vitest";

import {
  InsufficientCreditsError,
  isTryOnError,
  TryOn,
  type ApiErrorCode,
  type Job,
  type TryOnErrorCode,
} from "../index.ts";
import { responseHints } from "../errors/hints.ts";
import { temporaryFolder } from "../../test/journal-folder.ts";
import { createTestCall, createTestError, createTestJob, createTestResult } from "./index.ts";

const input = {
  person: "https://a.example/me.jpg",
  garments: ["https://a.example/b.png"],
} as const;
const clientOf = () => new TryOn({ apiKey: "svc_test_1", baseUrl: "https://tryon.example" });
const rejectionOf = (work: Promise<unknown>) => work.catch((error: unknown) => error);

test("replaces run by functions of a test, with their types", async () => {
  const tryon = clientOf();
  const result = createTestResult({ job: { cost_credits: 12 }, receipt: { balance: 30 } });
  const run = vi.spyOn(tryon, "run");
  run.mockImplementation(() => createTestCall(result));
  expect(await tryon.run(input)).toBe(result);
  const { data, response } = await tryon.run(input).withResponse();
  expect([data, response.status]).toEqual([result, 200]);
  expect(result.receipt).toMatchObject({ jobId: result.job.id, credits: 12, balance: 30 });
  run.mockImplementation((given) => createTestCall(failsFor(given)));
  expect(await rejectionOf(tryon.run(input))).toMatchObject({ code: "rate_limited" });
  run.mockRejectedValue(createTestError("insufficient_credits"));
  expect(await rejectionOf(tryon.run(input))).toBeInstanceOf(InsufficientCreditsError);
});

async function failsFor(_given: unknown): Promise<never> {
  throw createTestError("rate_limited", { retryAfter: 20 });
}

test("reads, streams and saves the image of a result", async () => {
  const { image, job } = createTestResult();
  const bytes = await image.bytes();
  expect((await image.blob()).type).toBe("image/png");
  expect(await new Response(await image.stream()).arrayBuffer()).toEqual(bytes.buffer);
  expect(await image.url()).toContain(job.id);
  expect(String(image)).toBe(`Image of ${String(job)}`);
  const file = join(await temporaryFolder(), "out.png");
  await image.save(file);
  expect(new Uint8Array(await readFile(file))).toEqual(bytes);
  const longer = Uint8Array.from([...bytes.slice(0, 33), ...bytes.slice(33)]);
  expect(await createTestResult({ image: longer }).image.bytes()).toEqual(longer);
});

test("ends an open job with the next poll, also under fake timers", async () => {
  vi.useFakeTimers();
  try {
    const job = createTestJob({
      status: "running",
      metadata: { order: "17" },
      idempotencyKey: "a",
    });
    expect(job).toMatchObject({ status: "running", idempotencyKey: "a" });
    const seen: string[] = [];
    for await (const { status } of job) seen.push(status);
    expect(seen).toEqual(["succeeded"]);
    expect((await job.result()).receipt).toMatchObject({ jobId: job.id, credits: 8 });
    expect(job.data.metadata).toEqual({ order: "17" });
    const failed = createTestJob({ status: "failed", error_message: "content_blocked" });
    const error = await rejectionOf(failed.result());
    expect(error).toMatchObject({ code: "job_failed", isContentBlocked: true });
  } finally {
    vi.useRealTimers();
  }
});

const hintOf = Object.entries(responseHints).map(([code, hint]) => [code, { hint }]);
// The names of the properties.
const codes: Readonly<Record<TryOnErrorCode, object>> = {
  ...(Object.fromEntries(hintOf) as Record<ApiErrorCode, object>),
  batch_stopped: { reason: "error" },
  budget_exceeded: { maxCredits: 8, spent: 8, reserved: 0, cost: 8 },
  connection_failed: {},
  invalid_config: {},
  invalid_input: { issues: [{ field: "person" }] },
  job_failed: { error_code: "generation_failed", isContentBlocked: false },
  outcome_unknown: { idempotencyKey: "order-17" },
  redirected: {},
  result_expired: { job: { status: "succeeded" } },
  result_purged: { job: { status: "succeeded" } },
  timed_out: {},
  unexpected_response: {},
  unsafe_environment: {},
  wait_timed_out: { job: { status: "running" } },
};

test.each(Object.keys(codes) as TryOnErrorCode[])("creates the error %s", async (code) => {
  const error = createTestError(code);
  expect(isTryOnError(error, code)).toBe(true);
  const isResponse = code in responseHints;
  expect(error).toMatchObject(
    isResponse ? { hint: responseHints[code as "forbidden"] } : codes[code],
  );
  expect(Number.isInteger(error.status)).toBe(isResponse);
  expect(error.message).toMatch(/\.$/);
});

test("gives an error the fields of its code, in their types", async () => {
  const job: Job = createTestJob({ status: "queued" });
  expect(createTestError("wait_timed_out", { job }).job).toBe(job);
  const blocked = createTestError("job_failed", { isContentBlocked: true });
  expect(blocked.job.data.error_message).toBe("content_blocked");
  const unknown = createTestError("outcome_unknown", { idempotencyKey: "order-9" });
  expect(await unknown.recover()).toMatchObject({ status: "succeeded" });
  expect(unknown.idempotencyKey).toBe("order-9");
  const lost = createTestError("unavailable", { status: 502, recover: async () => job });
  expect(await lost.recover?.()).toBe(job);
  expect(createTestError("bad_request").idempotencyKey).toBeUndefined();
  // @ts-expect-error Another code has this field.
  createTestError("job_failed", { spent: 8 });
});

test.each<[string, () => unknown, string]>([
  // JavaScript callers can pass anything.
  ["code", () => createTestError("rate_limit" as "rate_limited"), "code must be one of"],
  [
    "field of an error",
    () => createTestError("rate_limited", { retryafter: 2 } as object),
    "Did you mean retryAfter?",
  ],
  ["time", () => createTestError("rate_limited", { retryAfter: -1 }), "a number from 0 up"],
  ["status", () => createTestJob({ status: "done" as "failed" }), "status must be one of"],
  ["id", () => createTestJob({ job_id: "17" }), 'job_id must be "job_"'],
  [
    "field of a job",
    () => createTestJob({ costCredits: 8 } as object),
    "Did you mean cost_credits?",
  ],
  ["image", () => createTestResult({ image: Uint8Array.of(1) }), "the bytes of a PNG"],
])("refuses an invalid %s", (_what, create, message) => {
  expect(create).toThrow(message);
});

test("clones of results, jobs and errors have what JSON shows", () => {
  const [result, error] = [createTestResult(), createTestError("outcome_unknown")];
  expect(structuredClone(result).image).toEqual({ jobId: result.job.id });
  expect(structuredClone(result.job)).toEqual({ id: result.job.id });
  expect(structuredClone(result.job.toJSON())).toEqual(result.job.toJSON());
  expect(error.recover).toBeTypeOf("function");
  expect(structuredClone(error.toJSON())).toEqual(JSON.parse(JSON.stringify(error)));
  expect(error.toJSON()).toMatchObject({ code: "outcome_unknown" });
});
