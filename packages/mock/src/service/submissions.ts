import type { RenderRequest } from "../engine/engine.ts";
import type { IdempotencyRecord, JobRecord, KeyRecord } from "../store/records.ts";
import type { Transaction } from "../store/store.ts";
import { limits, sizes } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { refundCredits, chargeCredits } from "./credits.ts";
import { canonicalJson, textDigest } from "./digest.ts";
import type { ImageFetch } from "./image-fetch.ts";
import { submitted, type SyncRequests, type SubmissionResponse } from "./sync-requests.ts";
import { composeInstruction } from "./instruction.ts";
import type { JobScheduler, Place } from "./job-scheduler.ts";
import { mustFind } from "./keys.ts";
import type { NextJobs, PlannedOutcome } from "./next-jobs.ts";
import { outcomeOf } from "./outcome.ts";
import { ServiceError, serverError } from "./service-error.ts";
import type { Replays } from "./replays.ts";
import { readSubmission, type Submission, type SubmissionFields } from "./submission.ts";

/** A submission as it came in. */
export interface SubmitCall {
  readonly keyId: string;
  /** The body, its types checked. */
  readonly fields: SubmissionFields;
  /** The body as it was sent, for comparison under an idempotency key. */
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  /** Scheme and host that the caller used. */
  readonly origin: string;
}

/** The answer to a submission, before it is put into words. */
export interface SubmitResponse {
  readonly job: JobRecord;
  readonly answer: SubmissionResponse;
  readonly creditsRemaining: number;
  readonly replayed: boolean;
}

/** The other parts of the service that submitting needs. */
export interface SubmissionParts {
  readonly life: JobScheduler;
  readonly nextJobs: NextJobs;
  readonly replays: Replays;
  readonly held: SyncRequests;
  readonly imageFetch?: ImageFetch | undefined;
}

type Opened =
  | { readonly kind: "replay"; readonly record: IdempotencyRecord }
  | {
      readonly kind: "created";
      readonly job: JobRecord;
      readonly place: Place;
      readonly steered: PlannedOutcome | undefined;
    };

/** Submits: the order of checks, the idempotency key, the charge, and the wait for the end. */
export class Submissions {
  readonly #context: ServiceContext;
  readonly #life: JobScheduler;
  readonly #nextJobs: NextJobs;
  readonly #imageFetch: ImageFetch | undefined;
  readonly #replays: Replays;
  readonly #held: SyncRequests;

  constructor(context: ServiceContext, parts: SubmissionParts) {
    this.#context = context;
    this.#life = parts.life;
    this.#nextJobs = parts.nextJobs;
    this.#replays = parts.replays;
    this.#held = parts.held;
    this.#imageFetch = parts.imageFetch;
  }

  /** @throws Refusal for what the service does not take; nothing was charged then. */
  async submit(call: SubmitCall): Promise<SubmitResponse> {
    const read = readSubmission(call.fields, this.#context.settings);
    // Without a key there is nothing to compare with, and large bodies take their time.
    const comparable = call.idempotencyKey !== undefined;
    const bodyDigest = comparable ? await textDigest(canonicalJson(call.body)) : "";
    const fetched = await this.#withImages(call, read, bodyDigest);
    const submission = await this.#checkedByEngine(fetched);
    const request = await renderRequest(submission);
    const opened = await this.#open(call, submission, bodyDigest);
    if (opened.kind === "replay") {
      const answer = await this.#replays.answerOf(opened.record);
      if (answer.kind === "server-error") throw serverError();
      return this.#complete(opened.record.jobId, answer, true);
    }
    const { job, place, steered } = opened;
    const prompted = outcomeOf(this.#context.settings.magic ? submission.wording.prompt : null);
    const outcome = steered?.outcome ?? prompted;
    try {
      await this.#life.start({ job, request: { ...request, seed: job.seed }, outcome }, place);
    } catch (error) {
      this.#nextJobs.giveBack(steered);
      await this.#takeBack(call, job);
      await this.#life.giveBack(place);
      throw error;
    }
    const answer = await this.#firstAnswer(call, job, submission.wait);
    return this.#complete(job.id, answer, false);
  }

  /** Fetches the images, where they are fetched, unless the call repeats one that has been taken. */
  async #withImages(
    call: SubmitCall,
    submission: Submission,
    bodyDigest: string,
  ): Promise<Submission> {
    const imageFetch = this.#imageFetch;
    if (imageFetch === undefined || submission.imageProblem !== null) return submission;
    const earlier = await this.#context.store.transact((transaction) =>
      this.#replays.earlier(transaction, call, bodyDigest),
    );
    if (earlier !== undefined) return submission;
    const { keyId, idempotencyKey } = call;
    const twins =
      idempotencyKey === undefined
        ? undefined
        : JSON.stringify([keyId, idempotencyKey, bodyDigest]);
    return imageFetch.fetched(submission, twins);
  }

  /** The submission, with the engine's reason where the engine refuses one of its images. */
  async #checkedByEngine(submission: Submission): Promise<Submission> {
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

  /** The atomic step: a replay, a conflict, or job, charge and idempotency record at once. */
  async #open(call: SubmitCall, submission: Submission, bodyDigest: string): Promise<Opened> {
    let place: Place | undefined;
    let steered: PlannedOutcome | undefined;
    try {
      return await this.#context.store.transact(async (transaction) => {
        const record = await this.#replays.earlier(transaction, call, bodyDigest);
        if (record !== undefined) return { kind: "replay", record };
        if (submission.imageProblem !== null) {
          throw new ServiceError("bad-request", submission.imageProblem);
        }
        place ??= this.#life.reserve();
        const job = await this.#create(transaction, call, submission, {
          status: place.status,
          bodyDigest,
        });
        const key = await mustFind(transaction, call.keyId);
        // The last thing in the step: a submission that is refused leaves the queue as it was.
        steered ??= this.#nextJobs.take(key.token);
        return { kind: "created", job, place, steered };
      });
    } catch (error) {
      if (place !== undefined) await this.#life.giveBack(place);
      throw error;
    }
  }

  async #create(
    transaction: Transaction,
    call: SubmitCall,
    submission: Submission,
    { status, bodyDigest }: { status: JobRecord["status"]; bodyDigest: string },
  ): Promise<JobRecord> {
    const now = this.#context.system.clock.now();
    const { idempotencyHours, inventSeed, dailySpendCap } = this.#context.options;
    const key = await mustFind(transaction, call.keyId);
    const testMode = key.mode === "test";
    const { random } = this.#context.system;
    const job = await transaction.addJob({
      id: `job_${random.token(24)}`,
      keyId: key.id,
      status,
      outputSize: submission.outputSize,
      costCredits: testMode ? 0 : sizes[submission.outputSize].credits,
      testMode,
      seed: submission.seed ?? (inventSeed ? Math.floor(random.fraction() * 2 ** 31) : null),
      metadata: submission.metadata,
      webhookUrl: submission.webhookUrl,
      origin: call.origin,
      createdAt: now,
      completedAt: null,
      durationMs: null,
      errorCode: null,
      errorMessage: null,
      result: null,
    });
    const charge = { credits: job.costCredits, jobId: job.id, at: now, dailySpendCap };
    if (!testMode) await chargeCredits(transaction, key, charge);
    if (call.idempotencyKey !== undefined) {
      await transaction.putIdempotency({
        keyId: call.keyId,
        idempotencyKey: call.idempotencyKey,
        bodyDigest,
        jobId: job.id,
        expiresAt: now + idempotencyHours * 3_600_000,
        answer: null,
      });
    }
    return job;
  }

  /** Waits for the first answer to a call, where it is to wait, and keeps it for those who repeat the call. */
  async #firstAnswer(call: SubmitCall, job: JobRecord, wait: boolean): Promise<SubmissionResponse> {
    if (wait) {
      const { keyId, idempotencyKey } = call;
      const until = job.createdAt + limits.hold;
      return this.#held.answer({ keyId, idempotencyKey, jobId: job.id, until });
    }
    const answer = submitted(job, null);
    await this.#replays.remember(call, answer);
    return answer;
  }

  /** Undoes a creation whose model was never reached. */
  async #takeBack(call: SubmitCall, job: JobRecord): Promise<void> {
    await this.#context.store.transact(async (transaction) => {
      const key = await mustFind(transaction, job.keyId);
      await refundCredits(transaction, key, job, this.#context.system.clock.now());
      await transaction.removeJob(job);
      await this.#replays.fail(transaction, call);
    });
    this.#replays.tell(call, { kind: "server-error" });
  }

  async #complete(
    jobId: string,
    answer: SubmissionResponse,
    replayed: boolean,
  ): Promise<SubmitResponse> {
    return this.#context.store.transact(async (transaction) => {
      const job = await transaction.job(jobId);
      if (job === undefined) throw serverError();
      const key: KeyRecord = await mustFind(transaction, job.keyId);
      return { job, answer, creditsRemaining: key.credits, replayed };
    });
  }
}

/** What the engine is to make, but for the seed, which the job may be given. */
async function renderRequest(submission: Submission): Promise<Omit<RenderRequest, "seed">> {
  const { person, garments, sources, outputSize, wording } = submission;
  const { width, height } = sizes[outputSize];
  const instruction = composeInstruction(wording);
  const fingerprint = await textDigest(JSON.stringify([sources, instruction, outputSize]));
  return { person, garments, instruction, fingerprint, width, height };
}
