import { checkOptionNames } from "../option-names.ts";
import { eventHandler, type EventHandler } from "../receiver/delivery-handler.ts";
import type { Receiver } from "../receiver/receiver.ts";

/** Job in the list of a client, as much of it as `reconcile` reads. */
export interface ListedJob {
  /** Id of the job, the `job_id` of its event. */
  readonly id: string;
  /** Job as the service sent it. Times are ISO 8601, in UTC if they have no offset. */
  readonly data: {
    /** Status of the job. Only `succeeded` and `failed` are passed on. */
    readonly status: string;
    /** Time of the submission. The cursor depends on it. */
    readonly created_at?: string | null | undefined;
    /** End of the job. */
    readonly completed_at?: string | null | undefined;
    /** URL of the PNG, valid for 24 hours. Absent for a failed job. */
    readonly result_url?: string | null | undefined;
    /** Code of the failure, e.g. `generation_failed`. */
    readonly error_code?: string | null | undefined;
    /** Detail of the failure, e.g. `content_blocked`. */
    readonly error_message?: string | null | undefined;
    /** Duration of the job, in milliseconds. */
    readonly duration_ms?: number | null | undefined;
  };
}

/** Client whose jobs are listed, newest first: a `TryOn` of `@tryon/client`. */
export interface JobLister<Job extends ListedJob = ListedJob> {
  /** Jobs of the API key. */
  readonly jobs: {
    /** Lists the jobs of the API key, newest first. */
    list(): AsyncIterable<Job>;
  };
}

/** Options of `reconcile`. */
export interface ReconcileOptions<Job extends ListedJob = ListedJob> {
  /** Receiver of `createReceiver`, with a `store` that survives a restart. Its handler gets the events. */
  readonly receiver: Receiver;
  /** Time from which jobs are checked: a `Date`, or the `cursor` of the last call. */
  readonly since: Date | string;
  /**
   * Returns true for jobs whose events the handler expects, such as those with your `metadata`.
   *
   * @default all jobs of the API key, also those that were submitted without a `webhook_url`
   */
  readonly filter?: ((job: Job) => boolean) | undefined;
}

/** Outcome of `reconcile`. */
export interface Reconciled {
  /** `since` of the next call: the jobs before it have ended, and their events were handled. */
  readonly cursor: string;
  /** Number of events that are handled now, in this call or before. */
  readonly handled: number;
  /** Number of events whose handler failed. The receiver has reported them to `onError`. */
  readonly failed: number;
  /** Number of jobs that have not ended. */
  readonly running: number;
}

/** Time in which a list may miss a new job, in milliseconds. Jobs are checked again for so long. */
const overlap = 60_000;

/**
 * Passes jobs that have ended to the handler of a receiver unless it has handled their event, so that
 * an event that was lost is handled: the service retries for 21 s, which a deployment can exceed. Each
 * event is handled under the same claim as a delivery, thus once, also if both come at the same time.
 * In the handler, `secretIndex` is −1.
 *
 * Call it after a deployment, or every few minutes. Store the cursor: it does not pass a job that runs,
 * or whose handler failed. Without a job it stays the same.
 *
 * @throws `TypeError` or `RangeError` for an invalid option, and for a `since` that is older than the
 * receiver remembers events, 7 days (`dedupeTtl`). Errors of the client while it lists jobs.
 * @example
 * import { reconcile } from "@tryon/webhooks/reconcile";
 *
 * const since = new Date(Date.now() - 3_600_000);
 * const { cursor, handled } = await reconcile(tryon, { receiver: POST, since });
 * console.log(`${handled} events, next time from ${cursor}`);
 */
export async function reconcile<Job extends ListedJob>(
  tryon: JobLister<Job>,
  options: ReconcileOptions<Job>,
): Promise<Reconciled> {
  checkOptionNames(options, { receiver: true, since: true, filter: true });
  const { receiver, filter = () => true } = options;
  const events = Reflect.get(Object(receiver), eventHandler) as EventHandler | undefined;
  if (events === undefined) {
    throw new TypeError("receiver: must be a receiver of createReceiver of @tryon/webhooks.");
  }
  if (events.memory === 0) {
    throw new TypeError(
      "receiver: has no store. Pass one that survives a restart, or events would be handled again.",
    );
  }
  const since = timeOf(options.since);
  if (!Number.isFinite(since)) {
    throw new RangeError("since: must be a valid Date, or the cursor of the last call.");
  }
  if (events.now() - since > events.memory) {
    throw new RangeError(
      "since: is longer ago than the receiver remembers events (dedupeTtl), so they would be handled again. Pass a later time.",
    );
  }
  const counts = { handled: 0, failed: 0, running: 0 };
  let newest = since;
  let oldestOpen = Infinity;
  for await (const job of tryon.jobs.list()) {
    const createdAt = timeOf(job.data.created_at ?? "");
    if (createdAt < since) break;
    if (createdAt > newest) newest = createdAt;
    if (!filter(job)) continue;
    const outcome = await pass(job, events);
    counts[outcome] += 1;
    if (outcome !== "handled") oldestOpen = Math.min(oldestOpen, createdAt || since);
  }
  const cursor = Math.max(since, Math.min(oldestOpen, newest - overlap));
  return { ...counts, cursor: new Date(cursor).toISOString() };
}

async function pass({ id, data }: ListedJob, events: EventHandler) {
  const { status } = data;
  if (status !== "succeeded" && status !== "failed") return "running";
  const { status: code } = await events.handle({
    event: "tryon.completed",
    job_id: id,
    status,
    result_url: data.result_url ?? null,
    error_code: data.error_code ?? null,
    error_message: data.error_message ?? null,
    duration_ms: data.duration_ms ?? null,
    completed_at: data.completed_at ?? null,
  });
  return code < 300 ? "handled" : "failed";
}

/** Returns a time in milliseconds since 1970; NaN if it is invalid. */
function timeOf(time: Date | string): number {
  const text = String(time instanceof Date ? time.getTime() : time);
  if (/^\d+$/.test(text)) return Number(text);
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
}
