import type { Job, Receipt, ResultImage, TryOnResult } from "@tryon/client";

import type { Bytes } from "../types/result-image.ts";
import { anything, checkFields, type Check } from "./check-fields.ts";
import { testJob, type TestJobFields } from "./create-test-job.ts";

/** Parts of a result of `createTestResult`. */
export interface TestResultFields {
  /** Fields of the job. @default a job that has succeeded */
  readonly job?: TestJobFields;
  /** Bytes of the image, a PNG. @default a transparent pixel */
  readonly image?: Bytes;
  /** Fields of the receipt. @default those of the job, without attempts */
  readonly receipt?: Partial<Receipt>;
}

const pngStart = [0x89, 0x50, 0x4e, 0x47];
const checks = {
  job: anything,
  image: [
    "the bytes of a PNG, a Uint8Array",
    (given: unknown) =>
      given instanceof Uint8Array && pngStart.every((byte, at) => given[at] === byte),
  ],
  receipt: anything,
} satisfies Record<keyof TestResultFields, Check>;

/**
 * Creates the result of a try-on without a service. Its image has a URL and can be read, streamed and, in Node, saved.
 *
 * @throws `invalid_input` for an unknown field, with the likely name, or for an image that is not a PNG.
 * @example
 * import { createTestResult } from "@tryon/client/testing";
 *
 * const result = createTestResult({ job: { cost_credits: 12, metadata: { order: "17" } } });
 * vi.spyOn(tryon, "run").mockResolvedValue(result);
 */
export function createTestResult(fields: TestResultFields = {}): TryOnResult {
  checkFields("a result", fields, checks);
  const { image, receipt } = fields;
  const job = testJob({ ...fields.job, status: "succeeded" }, image);
  return {
    job,
    image: testImage(job),
    receipt: {
      jobId: job.id,
      requestId: undefined,
      idempotencyKey: job.idempotencyKey,
      credits: job.data.cost_credits,
      balance: job.data.credits_remaining ?? undefined,
      attempts: [],
      timeline: [],
      ...receipt,
    },
  };
}

/** Creates an image that polls the job when it is used, as an image of the client does for a new URL. */
function testImage(job: Job): ResultImage {
  const load = async (): Promise<ResultImage> => (await job.result()).image;
  const methods = {
    blob: async (...given) => (await load()).blob(...given),
    bytes: async (...given) => (await load()).bytes(...given),
    save: async (...given) => (await load()).save(...given),
    stream: async (...given) => (await load()).stream(...given),
    url: async (...given) => (await load()).url(...given),
    toString: () => `Image of ${job.toString()}`,
  } satisfies Omit<ResultImage, "jobId">;
  // As those of a class, so that `structuredClone` and logs omit them.
  return Object.assign(Object.create(methods) as typeof methods, { jobId: job.id });
}
