import type { CallOptions } from "../types/call-options.ts";
import type { Job, TimelineEntry, TryOnResult } from "../types/job.ts";
import type { Responded } from "../api/call.ts";
import type { Charge } from "../billing/charge.ts";
import type { ChargePlan } from "../billing/spend-tracker.ts";
import { unknownName } from "../config/unknown-names.ts";
import { maxSyncWait, syncGrace } from "../config/options.ts";
import { ConnectionError } from "../errors/connection-error.ts";
import { InputError } from "../errors/input-error.ts";
import { OutcomeUnknownError } from "../errors/outcome-error.ts";
import { AttemptLog } from "../http/attempt-log.ts";
import { within, type Deadline } from "../http/deadline.ts";
import type { SubmissionBody } from "../http/http-request.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { finish } from "./finish.ts";
import type { JobContext } from "./job-context.ts";
import { JobRecord } from "./job-record.ts";
import { addKeyToMetadata } from "./key-in-metadata.ts";
import { JobList } from "./list.ts";
import { parseInput, type ParsedInput } from "./parse-input.ts";
import { readInput } from "./read-input.ts";
import {
  runOptionNames,
  submitOptionNames,
  type RunOptions,
  type SubmitOptions,
} from "./run-options.ts";
import { maxClockSkew, serviceTime } from "./service-time.ts";
import { submissionBody } from "./submission-body.ts";
import { isSyncCut } from "./sync-cut.ts";
import { notifier, type Notify } from "./updates.ts";

/** Submission. Its key and body are made once, and every attempt in every call sends them. */
interface Submission {
  readonly idempotencyKey: string;
  readonly body: SubmissionBody;
  /** If true, the service responds when the job has ended, or after 90 seconds. */
  readonly sync: boolean;
  /** If true, the metadata of the job has the key, so that the list shows which job it is. */
  readonly hasKeyInMetadata: boolean;
  /** Output size of the job, as it is sent. */
  readonly size: string;
  readonly attemptLog: AttemptLog;
  readonly timeline: TimelineEntry[];
  readonly chargePlan: ChargePlan;
  readonly charge: Charge;
}

/** Submits try-ons, each at most once. */
export class JobSubmitter {
  readonly #context: JobContext;
  /** False after something between client and service has cut a synchronous response off. */
  #mayBeSync = true;

  constructor(context: JobContext) {
    this.#context = context;
  }

  /** Submits an input and waits for the result. */
  async run(
    input: unknown,
    options: RunOptions,
    deadline: Deadline,
  ): Promise<Responded<TryOnResult>> {
    checkNames(options, "run", runOptionNames);
    const notify = notifier(this.#context.config, options.onUpdate);
    const { data, response } = await this.#submit(input, options, deadline, notify);
    return { data: await finish(data, deadline, notify), response };
  }

  /** Submits an input. */
  async submit(
    input: unknown,
    options: SubmitOptions,
    deadline: Deadline,
  ): Promise<Responded<Job>> {
    checkNames(options, "submit", submitOptionNames);
    const notify = notifier(this.#context.config, options.onUpdate);
    const submitted = await this.#submit(input, { ...options, sync: false }, deadline, notify);
    return { data: submitted.data.job, response: submitted.response };
  }

  async #submit(
    input: unknown,
    options: RunOptions,
    deadline: Deadline,
    notify: Notify,
  ): Promise<Responded<JobRecord>> {
    deadline.throwIfAborted();
    const { config, spendTracker } = this.#context;
    const { validate = config.validate, keyInMetadata = config.keyInMetadata } = options;
    const key = idempotencyKey(options.idempotencyKey);
    const withKey = keyInMetadata ? addKeyToMetadata(input, key) : input;
    // Nothing is awaited before this line, so that the input is parsed as it was at the call.
    const parsed = parseInput(withKey);
    const wanted = options.sync ?? parsed.wait ?? "auto";
    if (wanted === true && deadline.left() < maxSyncWait) {
      throw new InputError(
        "timeout",
        `of ${deadline.left()} ms is shorter than the ${maxSyncWait} ms that a synchronous response may take`,
        { hint: 'Raise timeout, or use sync: "auto".', bound: maxSyncWait },
      );
    }
    const isLongEnough = deadline.left() >= maxSyncWait + syncGrace;
    const sync = wanted === "auto" ? this.#mayBeSync && isLongEnough : wanted;
    const body = await this.#createBody(parsed, validate, sync, deadline);
    deadline.throwIfAborted();
    const chargePlan = {
      size: parsed.size,
      idempotencyKey: key,
      budgets: spendTracker.budgets(options.budget),
    };
    const charge = await spendTracker.reserve(chargePlan, deadline);
    const timeline: TimelineEntry[] = [{ phase: "sending", at: deadline.clock.now() }];
    notify({ phase: "sending", idempotencyKey: key });
    const submission = {
      idempotencyKey: key,
      body,
      sync,
      hasKeyInMetadata: withKey !== input,
      // The service refuses any other value.
      size: typeof parsed.size === "string" ? parsed.size : "1K",
      attemptLog: new AttemptLog(),
      timeline,
      chargePlan,
      charge,
    };
    return this.#send(submission, deadline, notify);
  }

  async #createBody(
    parsed: ParsedInput,
    validate: boolean,
    sync: boolean,
    deadline: Deadline,
  ): Promise<SubmissionBody> {
    const { log } = this.#context.config;
    try {
      return submissionBody(await readInput(parsed, { validate, log }, deadline), sync);
    } catch (error) {
      if (!deadline.passed) throw error;
      throw new ConnectionError("timed_out", "The images were not read in time.", {
        hint: "Nothing was sent: raise timeout.",
      });
    }
  }

  async #send(
    submission: Submission,
    deadline: Deadline,
    notify: Notify,
  ): Promise<Responded<JobRecord>> {
    const { idempotencyKey: key, attemptLog, timeline, sync, charge, size } = submission;
    const { api, config, spendTracker } = this.#context;
    try {
      const { data, response } = await api.submitTryOn(
        { ...submission, recover: (options) => this.#recover(submission, options) },
        {
          deadline,
          onRetry: (delay) => notify({ phase: "retrying", idempotencyKey: key, delay }),
        },
      );
      const { headers, requestId } = response;
      // A replay to the first attempt that could make the job is the response of an earlier submission.
      const isReplay =
        headers.get("idempotent-replayed") === "true" && attemptLog.lastIsFirstUncertain;
      spendTracker.recordResponse(charge, data, isReplay);
      const record = new JobRecord(() => this.#context, data, {
        idempotencyKey: key,
        attempts: attemptLog.attempts,
        timeline,
        requestId: config.redact(requestId) || undefined,
        size,
      });
      return { data: record, response };
    } catch (error) {
      spendTracker.recordFailure(charge, attemptLog.mayHaveMadeJob);
      throw error;
    } finally {
      if (sync && attemptLog.attempts.some(isSyncCut)) this.#mayBeSync = false;
    }
  }

  #recover(submission: Submission, options: CallOptions = {}): Promise<Job> {
    const { config, spendTracker } = this.#context;
    return within(config, options, config.timeout, async (deadline) => {
      if (submission.attemptLog.isPast(config.idempotencyWindow, deadline.clock.now())) {
        return this.#findInList(submission, deadline);
      }
      await spendTracker.reserve(submission.chargePlan, deadline, submission.charge);
      return (await this.#send(submission, deadline, () => undefined)).data.job;
    });
  }

  /** Looks for the job in the list once it is too late to send the submission again. */
  async #findInList(submission: Submission, deadline: Deadline): Promise<Job> {
    const { attemptLog, idempotencyKey: key, hasKeyInMetadata } = submission;
    const oldest = (attemptLog.uncertainSince ?? 0) - maxClockSkew;
    let cause: unknown;
    try {
      const options = { signal: deadline.signal };
      const jobs = hasKeyInMetadata ? new JobList(() => this.#context, options) : [];
      for await (const job of jobs) {
        if (job.idempotencyKey === key) {
          this.#context.spendTracker.recordFound(submission.charge, job.data);
          return job;
        }
        if (serviceTime(job.data.created_at) < oldest) break;
      }
    } catch (error) {
      deadline.throwIfAborted();
      cause = error;
    }
    const why = hasKeyInMetadata
      ? "the list does not show a job with its key"
      : "its key is not in the metadata";
    throw new OutcomeUnknownError(`The try-on may have been made, and ${why}.`, {
      hint: "It is not sent again: that could pay twice by now.",
      attempts: attemptLog.attempts,
      idempotencyKey: key,
      recover: (options) => this.#recover(submission, options),
      cause,
    });
  }
}

function checkNames(options: object, method: string, names: Readonly<Record<string, true>>): void {
  const unknown = unknownName(options, names);
  if (!unknown) return;
  throw new InputError(unknown.name, `is not an option of ${method}`, { hint: unknown.hint });
}
