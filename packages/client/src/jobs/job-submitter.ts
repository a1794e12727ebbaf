import type { Recover, Job, TimelineEntry, TryOnResult } from "../types/job.ts";
import type { Counted } from "../types/budget.ts";
import type { Responded } from "../api/api.ts";
import { serviceTime } from "../api/service-time.ts";
import { budgetOf } from "../billing/budget.ts";
import type { Charge } from "../billing/spend-tracker.ts";
import { ageSince } from "../config/clock.ts";
import { maxSyncWait, syncGrace } from "../config/options.ts";
import { readPollInterval } from "../config/resolve-config.ts";
import { InputError } from "../errors/refusal-errors.ts";
import { OutcomeUnknownError } from "../errors/request-errors.ts";
import { AttemptLog } from "../http/attempt-log.ts";
import { within, type Deadline } from "../http/deadline.ts";
import type { SubmissionBody } from "../http/http-request.ts";
import type { ClientContext, ClientContexts } from "./client-context.ts";
import { jobsOfPages } from "./job-list.ts";
import { JobRecord, maxClockSkew, notifier, type Notify } from "./job-record.ts";
import { parseInput, readImages, takeKeyFromMetadata } from "./parse-input.ts";
import {
  isKeyOver,
  runOptionNames,
  submitOptionNames,
  type RunOptions,
  type SubmitOptions,
} from "./run-options.ts";
import { submissionBody } from "./submission-body.ts";

const maxKeyLength = 200;

interface Submission {
  readonly idempotencyKey: string;
  readonly body: SubmissionBody;
  readonly size: string;
  readonly budget: Counted | undefined;
  readonly sync: boolean;
  /** If true, the metadata of the job has the key, so that the list shows which job it is. */
  readonly hasKeyInMetadata: boolean;
  /** If true, the caller has set the key, and may have sent it in an earlier call. */
  readonly hasOwnKey: boolean;
  readonly isKeyOver: (() => boolean) | undefined;
  readonly attemptLog: AttemptLog;
  readonly timeline: TimelineEntry[];
}

export class JobSubmitter {
  readonly #contexts: ClientContexts;
  /** False after something between client and service has cut off a synchronous response. */
  #mayBeSync = true;

  constructor(contexts: ClientContexts) {
    this.#contexts = contexts;
  }

  async run(input: unknown, options: RunOptions): Promise<Responded<TryOnResult>> {
    const { config } = this.#contexts;
    // Throws before anything is sent.
    const interval = readPollInterval(options, config);
    return this.#submit(input, options, options.sync, runOptionNames, (record, deadline, notify) =>
      record.finish(deadline, interval, notify),
    );
  }

  submit(input: unknown, options: SubmitOptions): Promise<Responded<Job>> {
    return this.#submit(input, options, false, submitOptionNames, (record) => record);
  }

  async #submit<Result>(
    input: unknown,
    options: SubmitOptions,
    sync: RunOptions["sync"],
    names: Readonly<Record<string, true>>,
    finish: (record: JobRecord, deadline: Deadline, notify: Notify) => Result | Promise<Result>,
  ): Promise<Responded<Result>> {
    const { config } = this.#contexts;
    const notify = notifier(config, options.onUpdate);
    const work = async (deadline: Deadline): Promise<Responded<Result>> => {
      const submission = await this.#prepare(input, options, sync, deadline);
      const sent = await this.#contexts.withKey(deadline, (context) =>
        this.#send(submission, context, deadline, notify),
      );
      return { ...sent, data: await finish(sent.data, deadline, notify) };
    };
    return within(config, options, undefined, work, names);
  }

  async #prepare(
    input: unknown,
    options: SubmitOptions,
    mode: RunOptions["sync"],
    deadline: Deadline,
  ): Promise<Submission> {
    const { config } = this.#contexts;
    const { validate = config.validate, keyInMetadata = config.keyInMetadata, budget } = options;
    const idempotencyKey = validKey(options.idempotencyKey);
    // No `await` before this line: the input is parsed as it was at the call.
    const parsed = parseInput(input, keyInMetadata ? idempotencyKey : undefined);
    const { fields, size, hasKeyInMetadata } = parsed;
    const sync = this.#isSync(mode ?? parsed.wait ?? "auto", Math.ceil(deadline.left()));
    const images = await readImages(parsed, { log: config.log, validate }, deadline);
    return {
      idempotencyKey,
      body: submissionBody(fields, images, sync),
      size,
      budget: budget && budgetOf(budget),
      sync,
      hasKeyInMetadata,
      // Only a batch has it.
      isKeyOver: (options as { readonly [isKeyOver]?: () => boolean })[isKeyOver],
      hasOwnKey: options.idempotencyKey !== undefined,
      attemptLog: new AttemptLog(),
      timeline: [],
    };
  }

  #isSync(sync: boolean | "auto", left: number): boolean {
    if (sync === true && left < maxSyncWait) {
      throw new InputError(
        "timeout",
        `of ${left} ms is shorter than the ${maxSyncWait} ms of a synchronous response`,
        { hint: 'Raise timeout, or use sync: "auto".', bound: maxSyncWait },
      );
    }
    return sync === "auto" ? this.#mayBeSync && left >= maxSyncWait + syncGrace : sync;
  }

  async #send(
    submission: Submission,
    context: ClientContext,
    deadline: Deadline,
    notify: Notify,
    earlier?: Charge,
  ): Promise<Responded<JobRecord>> {
    const { idempotencyKey, attemptLog, timeline, sync, size } = submission;
    const { api, config, spendTracker } = context;
    const since = ageSince(deadline.clock);
    const left = deadline.left();
    // A caller may limit the time of an own key by a timeout, which stops while the machine sleeps.
    const isLate = submission.hasOwnKey ? () => since() > left : undefined;
    const isOver = submission.isKeyOver ?? isLate;
    const charge = await spendTracker.reserve(submission, deadline, earlier);
    if (timeline.length === 0) {
      timeline.push({ phase: "sending", at: deadline.clock.now() });
      notify({ phase: "sending", idempotencyKey });
    }
    const onRetry = (delay: number) => notify({ phase: "retrying", idempotencyKey, delay });
    const recover: Recover = (options = {}) =>
      within(config, options, undefined, async (limit) => {
        if (attemptLog.isPast(config.idempotencyWindow)) {
          return this.#findInList({ ...submission, recover }, context, charge, limit);
        }
        return (await this.#send(submission, context, limit, () => undefined, charge)).data;
      });
    const total = submission.body.length;
    const onProgress = (sent: number) =>
      notify({ phase: "uploading", idempotencyKey, sent, total });
    try {
      const { data, response } = await api.submitTryOn(
        { ...submission, recover, onProgress },
        { deadline, onRetry, isOver },
      );
      const { headers, requestId } = response;
      // A replay to the first attempt that could make the job is the response of an earlier submission.
      const isReplay =
        headers.get("idempotent-replayed") === "true" &&
        attemptLog.firstUncertain === attemptLog.attempts.at(-1);
      if (isReplay) spendTracker.recordNoJob(charge);
      spendTracker.recordFound(charge, data);
      const record = new JobRecord(this.#contexts, data, {
        context,
        idempotencyKey,
        attempts: attemptLog.attempts,
        timeline,
        requestId: config.redact(requestId) || undefined,
        kind: size,
      });
      return { data: record, response };
    } catch (error) {
      if (!attemptLog.mayHaveMadeJob) spendTracker.recordNoJob(charge);
      throw error;
    } finally {
      if (sync && attemptLog.attempts.some(({ isCut }) => isCut)) this.#mayBeSync = false;
    }
  }

  async #findInList(
    submission: Submission & { readonly recover: Recover },
    context: ClientContext,
    charge: Charge,
    deadline: Deadline,
  ): Promise<Job> {
    const { attemptLog, idempotencyKey, hasKeyInMetadata, recover } = submission;
    // The clock may have been set meanwhile.
    const oldest = deadline.clock.now() - (attemptLog.age ?? 0) - maxClockSkew;
    let cause: unknown;
    try {
      const jobs = jobsOfPages(async (cursor) => {
        const { data } = await context.api.listJobs({ cursor }, { deadline });
        return { jobs: data.jobs, nextCursor: data.next_cursor };
      });
      for await (const data of hasKeyInMetadata ? jobs : []) {
        if (takeKeyFromMetadata(data).idempotencyKey === idempotencyKey) {
          context.spendTracker.recordFound(charge, data);
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
      hint: "Sending it again could pay twice by now.",
      attempts: attemptLog.attempts,
      idempotencyKey,
      recover,
      cause,
    });
  }
}

function validKey(key: string | undefined): string {
  if (key === undefined) return randomKey();
  // HTTP trims header values and allows no other characters.
  if (key.length <= maxKeyLength && /^[!-~]([ -~]*[!-~])?$/.test(key)) return key;
  throw new InputError(
    "idempotencyKey",
    `is not 1 to ${maxKeyLength} printable ASCII characters without blanks at its ends`,
    { bound: maxKeyLength },
  );
}

/** Creates a UUID of version 4 with 120 random bits. `crypto.randomUUID` is missing on pages that were loaded over http. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(36));
  return "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, (_, at: number) =>
    (Number(bytes[at]) % 16).toString(16),
  );
}
