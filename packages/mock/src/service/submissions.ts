import type { RenderRequest } from "../engine/engine.ts";
import type { IdempotencyRecord, JobRecord, KeyRecord, StoredResponse } from "../store/records.ts";
import { getKey, type Transaction } from "../store/store.ts";
import { limits, sizes } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { chargeCredits, refundCredits } from "./credits.ts";
import { canonicalJson, textDigest } from "./digest.ts";
import {
  responseFor,
  type FirstResponses,
  type SubmitResponse,
  type SyncRequest,
} from "./first-responses.ts";
import type { ImageFetch } from "./image-fetch.ts";
import type { JobScheduler, JobWork } from "./job-scheduler.ts";
import { readOutcome, type NextJobs, type PlannedOutcome } from "./next-jobs.ts";
import { ServiceError, serverError } from "./service-error.ts";
import { readSubmission, type Submission, type SubmissionFields } from "./submission.ts";

/** Request to submit a try-on. */
export interface SubmitRequest {
  readonly keyId: string;
  /** Validated body. */
  readonly fields: SubmissionFields;
  /** Body as received, to compare requests with the same idempotency key. */
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  /** Scheme and host of the requested URL. */
  readonly origin: string;
}

/** Parts of the service that a submission needs. */
export interface SubmissionParts {
  readonly scheduler: JobScheduler;
  readonly firstResponses: FirstResponses;
  readonly nextJobs: NextJobs;
  readonly imageFetch: ImageFetch | undefined;
}

interface CreatedJob {
  readonly job: JobRecord;
  /** The key after the charge. */
  readonly key: KeyRecord;
  /** Null if the first response is not known yet. */
  readonly response: StoredResponse | null;
}

/** Submissions: the order of the checks, idempotency, the charge, and the first response. */
export class Submissions {
  readonly #context: ServiceContext;
  readonly #parts: SubmissionParts;

  constructor(context: ServiceContext, parts: SubmissionParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** @throws ServiceError if the service rejects the request. Nothing is charged then. */
  async submit(request: SubmitRequest): Promise<SubmitResponse> {
    const { store, settings } = this.#context;
    const read = readSubmission(request.fields, settings);
    const hasKey = request.idempotencyKey !== undefined;
    const bodyDigest = hasKey ? await textDigest(canonicalJson(request.body)) : "";
    const fetched = await this.#fetchImages(request, read, bodyDigest);
    const submission = await this.#checkImages(fetched);
    const render = await renderRequest(submission);
    const opened = store.transact(
      (transaction) =>
        this.#findRecord(transaction, request, bodyDigest) ??
        this.#create(transaction, request, submission, bodyDigest),
    );
    if (!("job" in opened)) return this.#parts.firstResponses.replay(opened);
    const { job, key, response } = opened;
    const planned = this.#parts.nextJobs.take(key.token);
    const outcome = planned?.outcome ?? readOutcome(settings.magic ? submission.prompt : null);
    const work = { job, request: { ...render, seed: job.seed }, outcome };
    const hasSlot = this.#parts.scheduler.takeSlot();
    if (response !== null) {
      this.#parts.scheduler.start(work, hasSlot);
      return { job, response, creditsRemaining: key.credits, replayed: false };
    }
    const { keyId, idempotencyKey } = request;
    const sync = { keyId, idempotencyKey, jobId: job.id, until: job.createdAt + limits.syncWait };
    return this.#parts.firstResponses.share(
      sync,
      this.#run(sync, work, { planned, hasSlot, wait: submission.wait }),
    );
  }

  /** Fetches the images, unless the request repeats an earlier one. */
  async #fetchImages(
    request: SubmitRequest,
    submission: Submission,
    bodyDigest: string,
  ): Promise<Submission> {
    const { imageFetch } = this.#parts;
    if (imageFetch === undefined || submission.imageProblem !== null) return submission;
    const record = this.#context.store.transact((transaction) =>
      this.#findRecord(transaction, request, bodyDigest),
    );
    if (record !== undefined) return submission;
    const { keyId, idempotencyKey } = request;
    const shareAs =
      idempotencyKey === undefined
        ? undefined
        : JSON.stringify([keyId, idempotencyKey, bodyDigest]);
    return imageFetch.fetchImages(submission, shareAs);
  }

  async #checkImages(submission: Submission): Promise<Submission> {
    const { engine } = this.#context;
    if (engine.imageProblem === undefined || submission.imageProblem !== null) return submission;
    for (const image of [submission.person, ...submission.garments]) {
      const problem = await engine.imageProblem(image);
      if (problem !== undefined) {
        return { ...submission, imageProblem: `${image.field}: ${problem}` };
      }
    }
    return submission;
  }

  /**
   * Finds the earlier request under the idempotency key.
   *
   * @throws ServiceError `conflict` if its body was different.
   */
  #findRecord(
    transaction: Transaction,
    { keyId, idempotencyKey }: SubmitRequest,
    bodyDigest: string,
  ): IdempotencyRecord | undefined {
    if (idempotencyKey === undefined) return undefined;
    const record = transaction.idempotency(keyId, idempotencyKey);
    if (record === undefined || record.expiresAt <= this.#context.system.clock.now()) {
      return undefined;
    }
    if (record.bodyDigest === bodyDigest) return record;
    throw new ServiceError(
      "conflict",
      "The Idempotency-Key was used with a different body; use a new key for a new request.",
    );
  }

  /** Creates the job, its charge and its idempotency record. */
  #create(
    transaction: Transaction,
    request: SubmitRequest,
    submission: Submission,
    bodyDigest: string,
  ): CreatedJob {
    if (submission.imageProblem !== null) {
      throw new ServiceError("bad-request", submission.imageProblem);
    }
    const { system, options, engine } = this.#context;
    const now = system.clock.now();
    const key = getKey(transaction, request.keyId);
    const testMode = key.mode === "test";
    const job = transaction.addJob({
      id: `job_${system.random.token(24)}`,
      keyId: key.id,
      status: this.#parts.scheduler.nextStatus,
      outputSize: submission.outputSize,
      costCredits: testMode ? 0 : sizes[submission.outputSize].credits,
      testMode,
      seed:
        submission.seed ??
        (options.inventSeed ? Math.floor(system.random.fraction() * 2 ** 31) : null),
      metadata: submission.metadata,
      webhookUrl: submission.webhookUrl,
      origin: request.origin,
      createdAt: now,
      completedAt: null,
      durationMs: null,
      errorCode: null,
      errorMessage: null,
      result: null,
    });
    const { dailySpendCap } = options;
    const charge = { credits: job.costCredits, jobId: job.id, at: now, dailySpendCap };
    const charged = testMode ? key : chargeCredits(transaction, key, charge);
    const isPending = submission.wait || (!testMode && engine.prepare !== undefined);
    const response = isPending ? null : responseFor(job);
    if (request.idempotencyKey !== undefined) {
      transaction.putIdempotency({
        keyId: key.id,
        idempotencyKey: request.idempotencyKey,
        bodyDigest,
        jobId: job.id,
        expiresAt: now + options.idempotencyHours * 3_600_000,
        response,
      });
    }
    return { job, key: charged, response };
  }

  /** Starts a job and completes its request. */
  async #run(
    request: SyncRequest,
    work: JobWork,
    start: { planned: PlannedOutcome | undefined; hasSlot: boolean; wait: boolean },
  ): Promise<SubmitResponse> {
    const { job } = work;
    const { scheduler, firstResponses } = this.#parts;
    try {
      if (!job.testMode) await this.#context.engine.prepare?.();
    } catch {
      this.#parts.nextJobs.restore(start.planned);
      this.#rollback(request, job);
      if (start.hasSlot) scheduler.releaseSlot();
      throw serverError();
    }
    scheduler.start(work, start.hasSlot);
    return start.wait
      ? firstResponses.wait(request)
      : firstResponses.complete(request, responseFor(job));
  }

  /** Removes a job that never reached the model, and refunds it. */
  #rollback({ keyId, idempotencyKey }: SyncRequest, job: JobRecord): void {
    const { store, system, options } = this.#context;
    store.transact((transaction) => {
      refundCredits(transaction, getKey(transaction, keyId), job, system.clock.now());
      transaction.removeJob(job);
      const record =
        idempotencyKey === undefined ? undefined : transaction.idempotency(keyId, idempotencyKey);
      if (record === undefined) return;
      if (options.stored500) transaction.putIdempotency({ ...record, response: "server-error" });
      else transaction.removeIdempotency(record);
    });
  }
}

/** Builds the engine's input, except for the seed. */
async function renderRequest(submission: Submission): Promise<Omit<RenderRequest, "seed">> {
  const { person, garments, sources, outputSize, instruction } = submission;
  const { width, height } = sizes[outputSize];
  const fingerprint = await textDigest(JSON.stringify([sources, instruction, outputSize]));
  return { person, garments, instruction, fingerprint, width, height };
}
