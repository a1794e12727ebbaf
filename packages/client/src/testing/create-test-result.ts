import type { CallOptions, Job, Receipt, ResultImage, TryOnResult } from "@tryon/client";

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
    image: new TestImage(job),
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

/** Image that polls the job when it is used, as an image of the client does for a new URL. */
class TestImage implements ResultImage {
  readonly jobId: string;
  readonly #job: Job;

  constructor(job: Job) {
    this.jobId = job.id;
    this.#job = job;
  }

  async blob(options?: CallOptions): Promise<Blob> {
    return (await this.#load()).blob(options);
  }

  async bytes(options?: CallOptions): Promise<Bytes> {
    return (await this.#load()).bytes(options);
  }

  async save(path: string, options?: CallOptions): Promise<void> {
    return (await this.#load()).save(path, options);
  }

  async stream(options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return (await this.#load()).stream(options);
  }

  async url(options?: CallOptions): Promise<string> {
    return (await this.#load()).url(options);
  }

  toString(): string {
    return `Image of ${this.#job.toString()}`;
  }

  async #load(): Promise<ResultImage> {
    return (await this.#job.result()).image;
  }
}
