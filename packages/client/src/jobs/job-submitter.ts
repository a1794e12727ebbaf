import type { CallOptions } from "../types/call-options.ts";
import type { Job, TimelineEntry, TryOnResult } from "../types/job.ts";
import type { Responded } from "../api/call.ts";
import type { Charge, ChargePlan } from "../billing/spend-tracker.ts";
import { maxSyncWait, syncGrace } from "../config/options.ts";
import { InputError } from "../errors/refusal-errors.ts";
import { OutcomeUnknownError } from "../errors/request-errors.ts";
import { AttemptLog } from "../http/attempt-log.ts";
import { startDeadline, within, type Deadline } from "../http/deadline.ts";
import type { SubmissionBody } from "../http/http-request.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import type { ClientContext, ClientContexts } from "./client-context.ts";
import { jobsOfPages } from "./job-list.ts";
import { JobRecord, notifier, type Notify } from "./job-record.ts";
import { addKeyToMetadata, takeKeyFromMetadata } from "./key-in-metadata.ts";
import { parseInput } from "./parse-input.ts";
import { readInput } from "./read-input.ts";
import {
  runOptionNames,
  submitOptionNames,
  type RunOptions,
  type SubmitOptions,
} from "./run-options.ts";
import { maxClockSkew, serviceTime } from "./job-data.ts";
import { submissionBody } from "./submission-body.ts";
import { isSyncCut } from "./is-sync-cut.ts";

/** Submission. Every attempt in every call sends the same key and body. */
interface Submission extends ChargePlan {
  readonly body: SubmissionBody;
  /** If true, the service responds when the job has ended, or after 90 seconds. */
  readonly sync: boolean;
  /** If true, the metadata of the job has the key, so that the list shows which job it is. */
  readonly hasKeyInMetadata: boolean;
  readonly attemptLog: AttemptLog;
  readonly timeline: TimelineEntry[];
  /** Context of the key that it is sent with. It changes only if the service has rejected every attempt with 401. */
  context: ClientContext;
  charge: Charge;
}

/** Submits try-ons, each at most once. */
export class JobSubmitter {
  readonly #contexts: ClientContexts;
  /** False after something between client and service has cut off a synchronous response. */
  #mayBeSync = true;

  constructor(contexts: ClientContexts) {
    this.#contexts = contexts;
  }

  /** Submits an input and waits for the result. */
  async run(input: unknown, options: RunOptions): Promise<Responded<TryOnResult>> {
    const { config } = this.#contexts;
    const deadline = startDeadline(config, options, config.timeout, runOptionNames);
    try {
      const notify = notifier(config, options.onUpdate);
      const submission = await this.#prepare(input, options, deadline, notify);
      const { data: record, response } = await this.#send(submission, deadline, notify);
      return { data: await record.finish(deadline, notify), response };
    } finally {
      deadline.close();
    }
  }

  /** Submits an input. */
  async submit(input: unknown, options: SubmitOptions): Promise<Responded<Job>> {
    const { config } = this.#contexts;
    const deadline = startDeadline(config, options, config.timeout, submitOptionNames);
    try {
      const notify = notifier(config, options.onUpdate);
      const asyncOptions = { ...options, sync: false };
      const submission = await this.#prepare(input, asyncOptions, deadline, notify);
      return await this.#send(submission, deadline, notify);
    } finally {
      deadline.close();
    }
  }

  /** Parses and reads an input, and reserves its credits. Sends nothing. */
  async #prepare(
    input: unknown,
    options: RunOptions,
    deadline: Deadline,
    notify: Notify,
  ): Promise<Submission> {
    deadline.throwIfAborted();
    const { config } = this.#contexts;
    const { validate = config.validate, keyInMetadata = config.keyInMetadata } = options;
    const key = idempotencyKey(options.idempotencyKey);
    const withKey = keyInMetadata ? addKeyToMetadata(input, key) : input;
    // No `await` before this line: the input is parsed as it was at the call.
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
    const context = await this.#contexts.acquire(deadline);
    const { spendTracker } = context;
    const body = submissionBody(
      await readInput(parsed, { log: config.log, validate }, deadline),
      sync,
    );
    deadline.throwIfAborted();
    const budgets = spendTracker.budgets(options.budget);
    const chargePlan = { size: parsed.size, idempotencyKey: key, budgets };
    const charge = await spendTracker.reserve(chargePlan, deadline);
    notify({ phase: "sending", idempotencyKey: key });
    return {
      ...chargePlan,
      body,
      sync,
      hasKeyInMetadata: withKey !== input,
      attemptLog: new AttemptLog(),
      timeline: [{ phase: "sending", at: deadline.clock.now() }],
      context,
      charge,
    };
  }

  /** Sends a submission, and sends it with another key if the service has rejected every attempt with 401. */
  async #send(
    submission: Submission,
    deadline: Deadline,
    notify: Notify,
  ): Promise<Responded<JobRecord>> {
    const { idempotencyKey: key, attemptLog, timeline, sync, size } = submission;
    const recover = (options?: CallOptions) => this.#recover(submission, options);
    const onRetry = (delay: number) => notify({ phase: "retrying", idempotencyKey: key, delay });
    for (let isRenewed = false; ; isRenewed = true) {
      const { context, charge } = submission;
      const { api, spendTracker } = context;
      try {
        const { data, response } = await api.submitTryOn(
          { ...submission, recover },
          { deadline, onRetry },
        );
        const { headers, requestId } = response;
        // A replay to the first attempt that could make the job is the response of an earlier submission.
        const isReplay =
          headers.get("idempotent-replayed") === "true" &&
          attemptLog.firstUncertain === attemptLog.attempts.at(-1);
        spendTracker.recordResponse(charge, data, isReplay);
        const record = new JobRecord(this.#contexts, data, {
          context,
          idempotencyKey: key,
          attempts: attemptLog.attempts,
          timeline,
          requestId: context.config.redact(requestId) || undefined,
          // The service rejects any other value.
          size: typeof size === "string" ? size : "1K",
        });
        return { data: record, response };
      } catch (error) {
        spendTracker.recordFailure(charge, attemptLog.mayHaveMadeJob);
        const renewed = !isRenewed && (await this.#contexts.renew(context, error, deadline));
        if (!renewed) throw error;
        submission.context = renewed;
        submission.charge = await renewed.spendTracker.reserve(submission, deadline);
      } finally {
        if (sync && attemptLog.attempts.some(isSyncCut)) this.#mayBeSync = false;
      }
    }
  }

  #recover(submission: Submission, options: CallOptions = {}): Promise<Job> {
    const { config, spendTracker } = submission.context;
    return within(config, options, config.timeout, async (deadline) => {
      if (submission.attemptLog.isPast(config.idempotencyWindow, deadline.clock.now())) {
        return this.#findInList(submission, deadline);
      }
      await spendTracker.reserve(submission, deadline, submission.charge);
      return (await this.#send(submission, deadline, () => undefined)).data;
    });
  }

  /** Finds the job in the list once it is too late to send the submission again. */
  async #findInList(submission: Submission, deadline: Deadline): Promise<Job> {
    const { attemptLog, idempotencyKey: key, hasKeyInMetadata, context } = submission;
    const oldest = (attemptLog.firstUncertain?.startedAt ?? 0) - maxClockSkew;
    let cause: unknown;
    try {
      const jobs = jobsOfPages(async (cursor) => {
        const { data } = await context.api.listJobs(cursor ? { cursor } : {}, { deadline });
        return { jobs: data.jobs, nextCursor: data.next_cursor };
      });
      for await (const data of hasKeyInMetadata ? jobs : []) {
        if (takeKeyFromMetadata(data).idempotencyKey === key) {
          context.spendTracker.recordFound(submission.charge, data);
          return new JobRecord(this.#contexts, data, { context });
        }
        if (serviceTime(data.created_at) < oldest) break;
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
