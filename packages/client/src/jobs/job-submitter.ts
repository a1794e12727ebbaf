import { isPage } from "#page";

import type { Recover, Job, TimelineEntry, TryOnResult } from "../types/job.ts";
import type { Counted } from "../types/budget.ts";
import type { KeySearch } from "../types/key-search.ts";
import { readTime } from "../api/service-time.ts";
import type { Responded } from "../api/api.ts";
import type { Charge } from "../billing/spend-tracker.ts";
import { ageSince } from "../config/clock.ts";
import { maxSyncWait, syncGrace } from "../config/options.ts";
import { mustBe, readDuration, readPollInterval, type Config } from "../config/resolve-config.ts";
import { isTryOnError } from "../errors/is-tryon-error.ts";
import { InputError } from "../errors/refusal-errors.ts";
import { OutcomeUnknownError } from "../errors/request-errors.ts";
import { AttemptLog } from "../http/attempt-log.ts";
import { within, type Deadline } from "../http/deadline.ts";
import type { SubmissionBody } from "../http/http-request.ts";
import { isOther, type JobContext, type JobContexts } from "./client-context.ts";
import { JobRecord, notifier, type Notify } from "./job-record.ts";
import { parseInput, readImages } from "./parse-input.ts";
import {
  beforeSend,
  isKeyOver,
  runOptionNames,
  submitOptionNames,
  type RunOptions,
  type SubmitOptions,
} from "./run-options.ts";
import { submissionBody } from "./submission-body.ts";

const maxKeyLength = 200;
const otherKey = "it belongs to another API key";
const pageMiss = ["the list does not show its job", "Call recover() later."] as const;
/** Maximum time by which a first attempt may be in the future, since clocks differ, in milliseconds. */
const maxFuture = 60_000;

const missTexts: Readonly<
  Record<NonNullable<OutcomeUnknownError["search"]>, readonly [problem: string, hint: string]>
> = {
  absent: [
    "the list does not show a job with its key",
    'Set whenAbsent: "submit" with firstAttemptAt to pay for another one.',
  ],
  too_early: [
    "the list does not show a job with its key yet",
    "Try again after retryAfter seconds.",
  ],
  no_first_attempt: ["firstAttemptAt is missing", "Pass it."],
  key_not_in_metadata: [
    "its key is not in the metadata",
    "Sending it again could pay twice by now.",
  ],
  list_too_short: [
    "the list ends before its first attempt",
    "Sending it again could pay twice: it may belong to another API key.",
  ],
  other_api_key: [
    otherKey,
    "Pass that key in recoveryKeys (TRYON_RECOVERY_KEYS): nothing is submitted again.",
  ],
  list_failed: ["the list could not be read", "Sending it again could pay twice by now."],
};

type KeyMiss = Exclude<KeySearch, { readonly status: "found" }>;

interface Earlier {
  /** Time before the first one, in milliseconds since 1970. */
  readonly firstAttemptAt: number;
  readonly age: () => number;
  /** If true, the service may have forgotten the key. */
  readonly isLate: boolean;
  readonly fingerprint: string | undefined;
  /** If true, a submission that has certainly made no job is sent. */
  readonly paysWhenAbsent: boolean;
}

interface Submission {
  readonly idempotencyKey: string;
  readonly body: SubmissionBody;
  readonly size: string;
  /** Fingerprint of the API key that a proxy must use. */
  readonly fingerprint: string | undefined;
  readonly budget: Counted | undefined;
  readonly sync: boolean;
  /** If true, the metadata of the job has the key, so that the list shows which job it is. */
  readonly hasKeyInMetadata: boolean;
  /** If true, the caller has set the key, and may have sent it in an earlier call. */
  readonly hasOwnKey: boolean;
  readonly earlier: Earlier | undefined;
  readonly isKeyOver: (() => boolean) | undefined;
  readonly attemptLog: AttemptLog;
  readonly timeline: TimelineEntry[];
}

export class JobSubmitter {
  readonly #contexts: JobContexts;
  /** False after something between client and service has cut off a synchronous response. */
  #mayBeSync = true;

  constructor(contexts: JobContexts) {
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
      // Only a batch has it.
      const { [beforeSend]: check } = options as {
        readonly [beforeSend]?: (fingerprint: string | undefined) => Promise<void>;
      };
      const send = async (context: JobContext) => {
        await check?.(context.fingerprint);
        deadline.throwIfAborted();
        return this.#send(submission, context, deadline, notify);
      };
      // After an earlier attempt, a refusal of the key proves nothing, so no other key is tried.
      const sent = await (!isPage && submission.earlier
        ? this.#sendAgain(submission, submission.earlier, deadline, send)
        : this.#contexts.withKey(deadline, send));
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
    const earlier = isPage ? rejectEarlier(options) : readEarlier(options, config, sync);
    const images = await readImages(
      parsed,
      { log: config.log, validate },
      deadline,
      this.#contexts.parts.checks,
    );
    return {
      idempotencyKey,
      body: submissionBody(fields, images, sync),
      size,
      budget: budget && this.#contexts.budgetOf?.(budget),
      fingerprint: config.apiKey ? undefined : options.apiKeyFingerprint,
      sync,
      hasKeyInMetadata,
      // Only a batch has it.
      isKeyOver: (options as { readonly [isKeyOver]?: () => boolean })[isKeyOver],
      hasOwnKey: options.idempotencyKey !== undefined,
      earlier,
      attemptLog: new AttemptLog(),
      timeline: [],
    };
  }

  #isSync(sync: boolean | "auto", left: number): boolean {
    if (sync === true && left < maxSyncWait) {
      throw new InputError(
        "timeout",
        `of ${left} ms is below the ${maxSyncWait} ms of a synchronous response`,
        { hint: 'Raise timeout, or use sync: "auto".', bound: maxSyncWait },
      );
    }
    return sync === "auto" ? this.#mayBeSync && left >= maxSyncWait + syncGrace : sync;
  }

  /** Sends a submission that an earlier call may have sent. If it is late, searches for its job instead. */
  async #sendAgain(
    submission: Submission,
    earlier: Earlier,
    deadline: Deadline,
    send: (context: JobContext) => Promise<Responded<JobRecord>>,
  ): Promise<Responded<JobRecord>> {
    const context = await this.#contexts.acquire(deadline);
    if (isPage) return send(context);
    // Another key would make a second job.
    const isMoved = isOther(context, earlier.fingerprint);
    if (!earlier.isLate && !isMoved) return send(context);
    const { fingerprint } = earlier;
    const search = await this.#search(submission, fingerprint, deadline);
    if (search.status === "found") {
      const owner = await this.#contexts.acquireFor(
        search.job.toJSON().apiKeyFingerprint,
        deadline,
      );
      const { data, response } = await owner.api.getJob(search.job.id, { deadline });
      return { data: new JobRecord(this.#contexts, data, { context: owner }), response };
    }
    if (search.status === "absent" && earlier.paysWhenAbsent && !isMoved) return send(context);
    const recover: Recover = (options = {}) =>
      within(context.config, options, undefined, async (limit) => {
        const again = await this.#search(submission, fingerprint, limit);
        if (again.status === "found") return again.job;
        throw unknownOutcome({ ...submission, recover }, again, limit);
      });
    throw unknownOutcome({ ...submission, recover }, search, deadline);
  }

  /** Reserves the credits of a submission and sends it. `earlier` is its charge in the call that it continues. */
  async #send(
    submission: Submission,
    context: JobContext,
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
    const calls = isPage ? undefined : submission.earlier;
    // A late submission is sent only if no earlier one has made a job.
    const window = calls && !calls.isLate ? config.idempotencyWindow : Infinity;
    const isOld = () => !isPage && (calls?.age() ?? 0) > window;
    const isOver = submission.isKeyOver ?? (() => isOld() || isLate?.() === true);
    const charge = await spendTracker?.reserve(submission, deadline, earlier);
    if (timeline.length === 0) {
      timeline.push({ phase: "sending", at: deadline.clock.now() });
      notify({ phase: "sending", idempotencyKey });
    }
    const onRetry = (delay: number) => notify({ phase: "retrying", idempotencyKey, delay });
    const recover: Recover = (options = {}) =>
      within(config, options, undefined, async (limit) => {
        if (isOld() || attemptLog.isPast(config.idempotencyWindow)) {
          return this.#findInList({ ...submission, recover }, context, limit, charge);
        }
        return (await this.#send(submission, context, limit, () => undefined, charge)).data;
      });
    const total = submission.body.length;
    const onProgress = (sent: number) =>
      notify({ phase: "uploading", idempotencyKey, sent, total });
    // An upload must end while the service remembers the key.
    const limit = deadline.attempt(window - (calls?.age() ?? 0));
    try {
      const { data, response } = await api.submitTryOn(
        { ...submission, recover, onProgress },
        { deadline: limit, onRetry, isOver },
      );
      const { headers, requestId } = response;
      // A replay to the first attempt that could make the job is the response of an earlier submission.
      const isReplay =
        headers.get("idempotent-replayed") === "true" &&
        attemptLog.firstUncertain === attemptLog.attempts.at(-1);
      if (charge && isReplay) spendTracker?.recordNoJob(charge);
      if (charge) spendTracker?.recordFound(charge, data);
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
      if (charge && !attemptLog.mayHaveMadeJob) spendTracker?.recordNoJob(charge);
      // The proxy has another key than an earlier call had.
      if (submission.fingerprint && isTryOnError(error) && error.status === 412) {
        throw unknownOutcome(
          { ...submission, recover },
          { status: "unknown", reason: "other_api_key" },
          deadline,
        );
      }
      throw error;
    } finally {
      limit.close();
      if (sync && attemptLog.attempts.some(({ isCut }) => isCut)) this.#mayBeSync = false;
    }
  }

  async #findInList(
    submission: Submission & { readonly recover: Recover },
    context: JobContext,
    deadline: Deadline,
    charge?: Charge,
  ): Promise<Job> {
    const search = await this.#search(submission, context.fingerprint, deadline);
    if (search.status !== "found") throw unknownOutcome(submission, search, deadline);
    if (charge) context.spendTracker?.recordFound(charge, search.job.data);
    return search.job;
  }

  async #search(
    submission: Submission,
    fingerprint: string | undefined,
    deadline: Deadline,
  ): Promise<KeySearch> {
    const contexts = this.#contexts;
    if (!submission.hasKeyInMetadata || !contexts.find) {
      return { status: "unknown", reason: "key_not_in_metadata" };
    }
    return contexts.find(submission, fingerprint, deadline);
  }
}

function unknownOutcome(
  submission: Submission & { readonly recover: Recover },
  search: KeyMiss,
  { clock }: Deadline,
): OutcomeUnknownError {
  const { attemptLog, idempotencyKey, recover } = submission;
  const { retryAt, error } = { retryAt: undefined, error: undefined, ...search };
  const reason = search.status === "absent" ? search.status : search.reason;
  // In a page, the session tries again.
  const missed = reason === "other_api_key" ? [otherKey] : pageMiss;
  const [why, hint] = isPage ? missed : missTexts[reason];
  return new OutcomeUnknownError(`The try-on may have been made, and ${why}.`, {
    hint,
    attempts: attemptLog.attempts,
    idempotencyKey,
    recover,
    search: reason,
    retryAfter: retryAt && Math.ceil((retryAt - clock.now()) / 1_000),
    cause: error,
  });
}

/** Rejects the options about earlier calls in pages, whose sessions continue their submissions. */
function rejectEarlier({ firstAttemptAt }: SubmitOptions): undefined {
  mustBe(firstAttemptAt === undefined, "firstAttemptAt", "unset in a page");
}

function readEarlier(
  {
    firstAttemptAt: time,
    apiKeyFingerprint: fingerprint,
    whenAbsent = "fail",
    idempotencyKey,
    timeout,
  }: SubmitOptions,
  { clock, idempotencyWindow: window, attemptTimeout }: Config,
  sync: boolean,
): Earlier | undefined {
  const firstAttemptAt = readTime(time, "firstAttemptAt");
  mustBe(/^(fail|submit)$/.test(whenAbsent), "whenAbsent", '"fail" or "submit"');
  if (firstAttemptAt === undefined) return undefined;
  mustBe(idempotencyKey !== undefined, "idempotencyKey", "set with firstAttemptAt");
  const before = clock.now() - firstAttemptAt;
  const since = ageSince(clock);
  const age = () => Math.max(0, before) + since();
  // One attempt must fit before the service may forget the key. A date in the future says nothing about the age.
  const attempt = Math.min(
    attemptTimeout + (sync ? maxSyncWait : 0),
    readDuration(timeout ?? Infinity),
    window / 2,
  );
  const isLate = before < -maxFuture || age() + attempt > window;
  return { firstAttemptAt, age, isLate, fingerprint, paysWhenAbsent: whenAbsent === "submit" };
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
