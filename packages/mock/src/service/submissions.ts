import type { IdempotencyRecord, JobRecord, KeyRecord, StoredAnswer } from "../store/records.ts";
import type { Transaction } from "../store/store.ts";
import { limits, sizes } from "./catalogue.ts";
import type { ServiceContext } from "./context.ts";
import { giveBack, takeCredits } from "./credits.ts";
import { canonicalJson, textDigest } from "./digest.ts";
import { composeInstruction } from "./instruction.ts";
import type { JobLife } from "./job-life.ts";
import { mustFind } from "./keys.ts";
import { outcomeOf } from "./outcome.ts";
import { Refusal } from "./refusal.ts";
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
export interface SubmitAnswer {
  readonly job: JobRecord;
  readonly answer: StoredAnswer & { kind: "submitted" };
  readonly creditsRemaining: number;
  readonly replayed: boolean;
}

type Opened =
  | { readonly kind: "replay"; readonly record: IdempotencyRecord }
  | { readonly kind: "created"; readonly job: JobRecord };

const unfinishedMessage = (jobId: string): string =>
  `Not finished within 90 seconds; the job goes on. Poll GET /api/v1/tryon/${jobId}.`;

/** Submits: the order of checks, the idempotency key, the charge, and the wait for the end. */
export class Submissions {
  readonly #context: ServiceContext;
  readonly #life: JobLife;
  readonly #answerWaiters = new Map<string, ((answer: StoredAnswer) => void)[]>();

  constructor(context: ServiceContext, life: JobLife) {
    this.#context = context;
    this.#life = life;
  }

  /** @throws Refusal for what the service does not take; nothing was charged then. */
  async submit(call: SubmitCall): Promise<SubmitAnswer> {
    const submission = readSubmission(call.fields, this.#context.settings);
    const bodyDigest = await textDigest(canonicalJson(call.body));
    const opened = await this.#context.store.transact((transaction) =>
      this.#open(transaction, call, submission, bodyDigest),
    );
    if (opened.kind === "replay") return this.#replay(opened.record);
    try {
      await this.#life.start({
        job: opened.job,
        request: {
          person: submission.person,
          garments: submission.garments,
          instruction: composeInstruction(submission.wording),
          seed: opened.job.seed,
          fingerprint: bodyDigest,
          width: sizes[submission.outputSize].width,
          height: sizes[submission.outputSize].height,
        },
        outcome: outcomeOf(this.#context.settings.magic ? submission.wording.prompt : null),
      });
    } catch (error) {
      await this.#takeBack(call, opened.job);
      throw error;
    }
    const answer = await this.#firstAnswer(opened.job, submission.wait);
    await this.#remember(call, answer);
    return this.#complete(opened.job.id, answer, false);
  }

  /** The atomic step: a replay, a conflict, or job, charge and idempotency record at once. */
  async #open(
    transaction: Transaction,
    call: SubmitCall,
    submission: Submission,
    bodyDigest: string,
  ): Promise<Opened> {
    const now = this.#context.world.clock.now();
    const { idempotencyHours, inventSeed, dailySpendCap } = this.#context.options;
    if (call.idempotencyKey !== undefined) {
      const record = await transaction.idempotency(call.keyId, call.idempotencyKey);
      if (record !== undefined && record.expiresAt > now) {
        if (record.bodyDigest === bodyDigest) return { kind: "replay", record };
        throw new Refusal(
          "conflict",
          "The Idempotency-Key was used with a different body; use a new key for a new request.",
        );
      }
    }
    const key = await mustFind(transaction, call.keyId);
    const testMode = key.mode === "test";
    const { random } = this.#context.world;
    const job = await transaction.addJob({
      id: `job_${random.token(24)}`,
      keyId: key.id,
      status: this.#life.firstStatus(),
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
    if (!testMode) await takeCredits(transaction, key, charge);
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
    return { kind: "created", job };
  }

  async #firstAnswer(job: JobRecord, wait: boolean): Promise<StoredAnswer & { kind: "submitted" }> {
    if (!wait) return submitted(job, null);
    const { clock } = this.#context.world;
    let limit: ReturnType<typeof clock.setTimeout> | undefined;
    const timeUp = new Promise<undefined>((resolve) => {
      limit = clock.setTimeout(() => resolve(undefined), limits.hold);
    });
    const ended = await clock.outside(Promise.race([this.#life.ended(job.id), timeUp]));
    clock.clearTimeout(limit);
    if (ended !== undefined) return submitted(ended, null);
    return submitted({ ...job, status: "running" }, unfinishedMessage(job.id));
  }

  async #replay(record: IdempotencyRecord): Promise<SubmitAnswer> {
    if (record.answer === null && this.#context.options.concurrentTwin === 409) {
      throw new Refusal(
        "conflict",
        "A request with this Idempotency-Key is still being worked on; ask again with the same key in a moment.",
      );
    }
    const answer = record.answer ?? (await this.#answerOf(record));
    if (answer.kind === "server-error") throw serverError();
    return this.#complete(record.jobId, answer, true);
  }

  #answerOf(record: IdempotencyRecord): Promise<StoredAnswer> {
    const name = waiterName(record.keyId, record.idempotencyKey);
    return this.#context.world.clock.outside(
      new Promise((resolve) => {
        this.#answerWaiters.set(name, [...(this.#answerWaiters.get(name) ?? []), resolve]);
      }),
    );
  }

  async #remember(call: SubmitCall, answer: StoredAnswer): Promise<void> {
    const { idempotencyKey, keyId } = call;
    if (idempotencyKey === undefined) return;
    await this.#context.store.transact(async (transaction) => {
      const record = await transaction.idempotency(keyId, idempotencyKey);
      if (record !== undefined) await transaction.putIdempotency({ ...record, answer });
    });
    this.#tellTwins(call, answer);
  }

  #tellTwins(call: SubmitCall, answer: StoredAnswer): void {
    const name = waiterName(call.keyId, call.idempotencyKey ?? "");
    for (const resolve of this.#answerWaiters.get(name) ?? []) resolve(answer);
    this.#answerWaiters.delete(name);
  }

  /** Undoes a creation whose model was never reached. */
  async #takeBack(call: SubmitCall, job: JobRecord): Promise<void> {
    const { stored500 } = this.#context.options;
    const answer: StoredAnswer = { kind: "server-error" };
    await this.#context.store.transact(async (transaction) => {
      const key = await mustFind(transaction, job.keyId);
      await giveBack(transaction, key, job, this.#context.world.clock.now());
      await transaction.removeJob(job);
      if (call.idempotencyKey === undefined) return;
      const record = await transaction.idempotency(call.keyId, call.idempotencyKey);
      if (record === undefined) return;
      if (stored500) await transaction.putIdempotency({ ...record, answer });
      else await transaction.removeIdempotency(record);
    });
    this.#tellTwins(call, answer);
  }

  async #complete(
    jobId: string,
    answer: StoredAnswer & { kind: "submitted" },
    replayed: boolean,
  ): Promise<SubmitAnswer> {
    return this.#context.store.transact(async (transaction) => {
      const job = await transaction.job(jobId);
      if (job === undefined) throw serverError();
      const key: KeyRecord = await mustFind(transaction, job.keyId);
      return { job, answer, creditsRemaining: key.credits, replayed };
    });
  }
}

function submitted(job: JobRecord, message: string | null): StoredAnswer & { kind: "submitted" } {
  const { status, errorCode, errorMessage } = job;
  return { kind: "submitted", status, errorCode, errorMessage, message };
}

function serverError(): Refusal {
  return new Refusal(
    "server-error",
    "Server error before the model was reached; nothing was charged.",
  );
}

function waiterName(keyId: string, idempotencyKey: string): string {
  return `${keyId}\n${idempotencyKey}`;
}
