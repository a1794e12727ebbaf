import type { Engine, RenderRequest } from "../engine/engine.ts";
import type {
  IdempotencyRecord,
  JobRecord,
  KeyRecord,
  StoredResponse,
  UnfinishedJobRecord,
} from "../store/records.ts";
import type { Tables } from "../store/store.ts";
import { sizes } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { chargeCredits, refundCredits } from "./credits.ts";
import { canonicalJson, textDigest } from "./digest.ts";
import {
  FirstResponses,
  responseFor,
  type SubmitResponse,
  type SyncRequest,
} from "./first-responses.ts";
import type { ImageFetch } from "./image-fetch.ts";
import type { JobScheduler, JobWork } from "./job-scheduler.ts";
import { NextJobs, readOutcome, type PlannedOutcome } from "./next-jobs.ts";
import { ServiceError, serverError } from "./service-error.ts";
import { readSubmission, type Submission, type SubmissionFields } from "./submission.ts";

export interface SubmitRequest {
  readonly keyId: string;
  readonly fields: SubmissionFields;
  /** Body as received, to compare requests with the same idempotency key. */
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  readonly origin: string;
}

type RequestIdentity = Pick<IdempotencyRecord, "id" | "bodyDigest">;

type CheckedSubmission = Submission & Pick<RenderRequest, "fingerprint">;

interface CreatedJob {
  readonly job: JobRecord;
  readonly engine: Engine;
  readonly key: KeyRecord;
  /** Null if the first response is not known yet. */
  readonly response: StoredResponse | null;
  readonly planned: PlannedOutcome | undefined;
  readonly unfinished: UnfinishedJobRecord;
}

/** Maximum number of expired idempotency records that one submission removes. */
const maxExpired = 10;

export class Submissions {
  readonly nextJobs = new NextJobs();
  readonly firstResponses: FirstResponses;
  readonly #context: ServiceContext;
  readonly #scheduler: JobScheduler;
  readonly #imageFetch: ImageFetch | undefined;
  // Stryker disable next-line StringLiteral: the first request sets it.
  #origin = "";

  constructor(context: ServiceContext, scheduler: JobScheduler, imageFetch?: ImageFetch) {
    this.firstResponses = new FirstResponses(context, scheduler);
    this.#context = context;
    this.#scheduler = scheduler;
    this.#imageFetch = imageFetch;
  }

  async submit(request: SubmitRequest): Promise<SubmitResponse> {
    const read = readSubmission(request.fields, this.#context);
    const identity = await identityOf(request);
    const fetched = await this.#fetchImages(read, identity);
    const submission = await this.#checkImages(fetched);
    const render = await renderRequest(submission);
    const { fingerprint } = render;
    const opened = this.#open(request, { ...submission, fingerprint }, identity);
    if (!("job" in opened)) return this.firstResponses.replay(opened);
    const { job, engine, key, response, planned, unfinished } = opened;
    this.nextJobs.remove(planned);
    const work = { engine, request: { ...render, seed: job.seed } };
    const hasSlot = this.#scheduler.takeSlot();
    if (response !== null) {
      this.#scheduler.start(unfinished, work);
      return { job, response, creditsRemaining: key.credits, replayed: false };
    }
    const sync = { recordId: identity?.id, jobId: job.id };
    return this.firstResponses.share(sync, this.#run(sync, opened, work, hasSlot, submission.wait));
  }

  resume(): void {
    const unstarted = this.#context.store.transact(({ jobs, unfinished }) =>
      [...jobs.all("queued"), ...jobs.all("running")].filter(({ id }) => !unfinished.get(id)),
    );
    // The process ended while the engine prepared.
    for (const job of unstarted) this.#rollback(job);
    this.firstResponses.resume();
  }

  async #fetchImages(
    submission: Submission,
    identity: RequestIdentity | undefined,
  ): Promise<Submission> {
    const imageFetch = this.#imageFetch;
    if (imageFetch === undefined || submission.imageProblem !== null) return submission;
    const record = this.#context.store.transact((tables) => this.#findRecord(tables, identity));
    if (record !== undefined) return submission;
    return imageFetch.fetchImages(submission, identity && JSON.stringify(identity));
  }

  async #checkImages(submission: Submission): Promise<Submission> {
    const { engine } = this.#context;
    if (submission.imageProblem !== null) return submission;
    for (const image of [submission.person, ...submission.garments]) {
      const problem = await engine.imageProblem?.(image);
      if (problem !== undefined) {
        const rule = "request.images.exact-bound-and-kinds";
        const detail = `${image.field}: ${problem}`;
        return { ...submission, imageProblem: new ServiceError("bad-request", detail, rule) };
      }
    }
    return submission;
  }

  #findRecord(
    tables: Tables,
    identity: RequestIdentity | undefined,
  ): IdempotencyRecord | undefined {
    if (identity === undefined) return undefined;
    const record = tables.idempotency.get(identity.id);
    if (record === undefined || record.expiresAt <= this.#context.system.clock.now()) {
      return undefined;
    }
    if (record.bodyDigest === identity.bodyDigest) return record;
    throw new ServiceError(
      "conflict",
      "The Idempotency-Key was used with a different body; use a new key for a new request.",
      "submit.idempotency-key.conflict",
    );
  }

  /** Finds the earlier request under the idempotency key, or creates the job. A refusal keeps the key if the options say so. */
  #open(
    request: SubmitRequest,
    submission: CheckedSubmission,
    identity: RequestIdentity | undefined,
  ): IdempotencyRecord | CreatedJob {
    const { store, options } = this.#context;
    try {
      return store.transact(
        (tables) =>
          this.#findRecord(tables, identity) ?? this.#create(tables, request, submission, identity),
      );
    } catch (error) {
      const isKept = error instanceof ServiceError && error.reason !== "conflict";
      if (isKept && options.refusedKey === "kept") {
        store.transact((tables) =>
          // Stryker disable next-line StringLiteral: a replay of an error reads no job.
          this.#remember(tables, identity, { jobId: "", response: error.stored }),
        );
      }
      throw error;
    }
  }

  #remember(
    tables: Tables,
    identity: RequestIdentity | undefined,
    outcome: Pick<IdempotencyRecord, "jobId" | "response">,
  ): void {
    if (identity === undefined) return;
    const { system, options } = this.#context;
    const { idempotency } = tables;
    const now = system.clock.now();
    const expiresAt = now + options.idempotencyHours * 3_600_000;
    // The new record is the latest to expire, so it must also be the last in the order of creation.
    idempotency.remove(identity.id);
    idempotency.put({ ...identity, ...outcome, expiresAt });
    for (let count = 0; count < maxExpired; count += 1) {
      const oldest = idempotency.oldest();
      // Stryker disable next-line ConditionalExpression,LogicalOperator: the new record is always there.
      if (oldest === undefined) return;
      // A request in progress completes its record, also if the date was set meanwhile.
      if (oldest.response === null || oldest.expiresAt > now) return;
      idempotency.remove(oldest.id);
    }
  }

  #create(
    tables: Tables,
    request: SubmitRequest,
    submission: CheckedSubmission,
    identity: RequestIdentity | undefined,
  ): CreatedJob {
    if (submission.imageProblem !== null) throw submission.imageProblem;
    const { system, settings, options, stockEngine } = this.#context;
    const now = system.clock.now();
    const key = tables.keys.getOrThrow(request.keyId);
    const testMode = key.mode === "test";
    const engine = testMode ? stockEngine : this.#context.engine;
    const job: JobRecord = {
      id: `job_${system.random.token(24)}`,
      keyId: key.id,
      status: this.#scheduler.nextStatus,
      outputSize: submission.outputSize,
      costCredits: testMode ? 0 : sizes[submission.outputSize].credits,
      testMode,
      seed:
        submission.seed ??
        (options.inventSeed ? Math.floor(system.random.fraction() * 2 ** 31) : null),
      metadata: submission.metadata,
      webhookUrl: submission.webhookUrl,
      origin: this.#sharedOrigin(request.origin),
      createdAt: now,
      completedAt: null,
      durationMs: null,
      errorCode: null,
      errorMessage: null,
      result: null,
    };
    tables.jobs.put(job);
    const { dailySpendCap } = options;
    const charge = { credits: job.costCredits, jobId: job.id, at: now, dailySpendCap };
    const charged = chargeCredits(tables, key, charge);
    const isPending = submission.wait || engine.prepare !== undefined;
    const response = isPending ? null : responseFor(job);
    this.#remember(tables, identity, { jobId: job.id, response });
    const planned = this.nextJobs.find(key.token);
    const prompt = settings.magic ? submission.prompt : null;
    const outcome = planned?.outcome ?? readOutcome(prompt);
    const fingerprint = engine === stockEngine ? submission.fingerprint : undefined;
    const unfinished = this.#scheduler.plan(job, outcome, fingerprint);
    if (engine.prepare === undefined) tables.unfinished.put(unfinished);
    return { job, engine, key: charged, response, planned, unfinished };
  }

  /** Returns the same text for equal origins, of which each request has its own copy. */
  #sharedOrigin(origin: string): string {
    // Stryker disable next-line ConditionalExpression: it only saves memory.
    if (origin !== this.#origin) this.#origin = origin;
    return this.#origin;
  }

  async #run(
    request: SyncRequest,
    { job, engine, planned, unfinished }: CreatedJob,
    work: JobWork,
    hasSlot: boolean,
    wait: boolean,
  ): Promise<SubmitResponse> {
    const { store, system } = this.#context;
    let started = unfinished;
    try {
      if (engine.prepare !== undefined) {
        await engine.prepare();
        started = { ...unfinished, startedAt: hasSlot ? system.clock.now() : null };
        store.transact((tables) => tables.unfinished.put(started));
      }
    } catch {
      this.nextJobs.restore(planned);
      this.#rollback(job);
      if (hasSlot) this.#scheduler.releaseSlot();
      throw serverError();
    }
    this.#scheduler.start(started, work);
    return wait
      ? this.firstResponses.wait(request)
      : this.firstResponses.complete(request, responseFor(job));
  }

  #rollback(job: JobRecord): void {
    const { store, system, options } = this.#context;
    store.transact((tables) => {
      refundCredits(tables, tables.keys.getOrThrow(job.keyId), job, system.clock.now());
      tables.jobs.remove(job.id);
      const record = tables.idempotency.all().findLast(({ jobId }) => jobId === job.id);
      if (record === undefined) return;
      const response = serverError().stored;
      if (options.stored500) tables.idempotency.put({ ...record, response });
      else tables.idempotency.remove(record.id);
    });
  }
}

async function identityOf(request: SubmitRequest): Promise<RequestIdentity | undefined> {
  const { keyId, idempotencyKey, body } = request;
  if (idempotencyKey === undefined) return undefined;
  return {
    id: `${keyId}\n${idempotencyKey}`,
    bodyDigest: await textDigest(canonicalJson(body)),
  };
}

async function renderRequest(submission: Submission): Promise<Omit<RenderRequest, "seed">> {
  const { person, garments, sources, outputSize, instruction } = submission;
  const { width, height } = sizes[outputSize];
  const fingerprint = await textDigest(JSON.stringify([sources, instruction, outputSize]));
  return { person, garments, instruction, fingerprint, width, height };
}
