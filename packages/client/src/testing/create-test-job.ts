import { TryOn, type Clock, type Job, type JobData, type JobStatus } from "@tryon/client";

import { isJobId } from "../api/api.ts";
import type { Bytes } from "../types/result-image.ts";
import { anything, checkFields, oneOf, text, type Check } from "./check-fields.ts";

/** Fields of a job of `createTestJob`: those of the service, and the idempotency key. */
export interface TestJobFields extends Partial<Omit<JobData, "status">> {
  /** Status of the job. @default "succeeded" */
  readonly status?: JobStatus;
  /** Idempotency key of the submission. */
  readonly idempotencyKey?: string | undefined;
}

const checks = {
  job_id: ['"job_" and letters and digits', isJobId],
  status: oneOf("queued", "running", "succeeded", "failed"),
  idempotencyKey: text,
  completed_at: anything,
  cost_credits: anything,
  created_at: anything,
  credits_remaining: anything,
  duration_ms: anything,
  error_code: anything,
  error_message: anything,
  message: anything,
  metadata: anything,
  result_bytes: anything,
  result_content_type: anything,
  result_height: anything,
  result_url: anything,
  result_width: anything,
  seed: anything,
  test_mode: anything,
} satisfies Record<keyof TestJobFields, Check>;

/** PNG of one transparent pixel. */
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII=";
const pollInterval = 100;
const serviceUrl = "https://tryon.test";
let jobs = 0;

/**
 * Creates a job without a service. It has succeeded, unless `status` says otherwise. `result()` and `updates()` work, without
 * a delay: a job that is `queued` or `running` succeeds with the next poll, and a failed one throws `job_failed`.
 *
 * @param fields - Fields that replace the defaults: a new id, 8 credits, and the end of its status.
 * @throws `invalid_input` for an unknown field, with the likely name, or for an invalid id or status.
 * @example
 * import { createTestJob } from "@tryon/client/testing";
 *
 * vi.spyOn(tryon, "submit").mockResolvedValue(createTestJob({ status: "running" }));
 */
export function createTestJob(fields: TestJobFields = {}): Job {
  return testJob(fields);
}

/** @param image PNG of the result. */
export function testJob(given: TestJobFields, image = decode(pixel)): Job {
  checkFields("a job", given, checks);
  const { idempotencyKey, ...fields } = given;
  const id = `job_${String((jobs += 1)).padStart(24, "0")}`;
  const data = { ...endOf(fields.status ?? "succeeded", id), job_id: id, ...fields };
  const isOpen = data.status === "queued" || data.status === "running";
  // An ended job keeps the fields of the caller.
  const ended = isOpen ? { ...data, ...endOf("succeeded", data.job_id) } : data;
  const service = async (url: string): Promise<Response> =>
    url.startsWith(`${serviceUrl}/results/`)
      ? new Response(image, { headers: { "content-type": "image/png" } })
      : Response.json(ended);
  const options = { apiKey: "svc_test_1", baseUrl: serviceUrl, fetch: service };
  const tryon = new TryOn({ ...options, clock: undelayedClock, pollInterval });
  return tryon.jobs.resume({ id: data.job_id, idempotencyKey, data });
}

/** Clock whose delays of polls take no time and whose time limits never end, also under fake timers. */
const undelayedClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(callback, delay) {
    const timer = { callback };
    if (delay <= pollInterval) void Promise.resolve().then(() => timer.callback());
    return timer;
  },
  clearTimeout(timer) {
    Object.assign(Object(timer), { callback: () => undefined });
  },
};

function endOf(status: JobStatus, id: string): Omit<JobData, "job_id"> {
  const result = { result_url: `${serviceUrl}/results/${id}.png`, duration_ms: 1_000 };
  return {
    status,
    cost_credits: 8,
    created_at: "2026-01-01T00:00:00Z",
    ...(status === "succeeded" && result),
    ...(status === "failed" && { error_code: "generation_failed" }),
  };
}

function decode(base64: string): Bytes {
  return Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
}
