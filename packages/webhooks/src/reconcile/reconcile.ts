import { func, OptionsError, readOptions } from "@tryon/shared/options";
import { serviceTime } from "@tryon/shared/service-time";
import { completedEvent } from "../verification/event.ts";
import { eventHandler, type EventHandler } from "../receiver/delivery-handler.ts";
import { reconcileWindow } from "./reconcile-window.ts";

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
  /**
   * Receiver of any `createReceiver` of this package, also that of an adapter, with a `store` that survives a restart. Its
   * handler gets the events.
   */
  readonly receiver: (...given: never) => unknown;
  /** Time from which jobs are checked: a `Date`, or the `cursor` of the last call. */
  readonly since: Date | string;
  /**
   * Returns true for jobs whose events the handler expects, such as those with your `metadata`.
   *
   * @default all jobs of the API key, also those that were submitted without a `webhook_url`
   */
  readonly filter?: ((job: Job) => boolean) | undefined;
}

/** Job whose event `reconcile` did not handle, and does not handle in the next call. */
export interface LeftBehindJob {
  /** Id of the job. */
  readonly id: string;
  /** Time of the submission, as the service sent it. */
  readonly createdAt: string | undefined;
  /**
   * Reason: the job has not ended (`running`), or the handler failed (`failed`), for half of `dedupeTtl`. With
   * `out_of_range`, the receiver could handle the event twice: its time is missing, or longer ago than 99 % of `dedupeTtl`,
   * or later than now by more than 1 % of it (100 minutes).
   */
  readonly reason: "running" | "failed" | "out_of_range";
}

/** Outcome of `reconcile`. */
export interface Reconciled {
  /**
   * `since` of the next call: the jobs before it have ended and their events were handled, except those of `leftBehind`.
   * ISO 8601 in UTC. It is never older than half of `dedupeTtl`, and never later than now.
   */
  readonly cursor: string;
  /** Number of events that are handled now, in this call or before. */
  readonly handled: number;
  /** Number of those that this call has handled: their deliveries were lost, or are late. */
  readonly recovered: number;
  /** Number of events whose handler failed. The receiver has reported them to `onError`. */
  readonly failed: number;
  /** Number of jobs that have not ended. */
  readonly running: number;
  /** Jobs that need you: get each by its id. Usually empty. */
  readonly leftBehind: readonly LeftBehindJob[];
}

/**
 * Passes jobs that have ended to the handler of a receiver unless it has handled their event, so that
 * an event that was lost is handled: the service retries for 21 s, which a deployment can exceed. Each
 * event is handled under the same claim as a delivery, thus once, also if both come at the same time.
 * In the handler, `secretIndex` is −1. It waits for the handler, also with `background`.
 *
 * Call it after a deployment, or every few minutes, and at least once in half of `dedupeTtl` (3.5 days).
 * Store the cursor: it does not pass a job that runs, or whose handler failed, for half of `dedupeTtl`.
 * After that, the job is in `leftBehind` of one call. Log it, since no later call reports it.
 *
 * Pass the cursor as the string that it is. If no call was made for longer than `dedupeTtl`, the call
 * continues, and jobs that the receiver may have forgotten are in `leftBehind`. After the clock was set
 * back, it checks half of `dedupeTtl` again.
 *
 * @throws `TypeError` for an invalid option, and for a `Date` that is older than the
 * receiver remembers events, 7 days (`dedupeTtl`). Errors of the client while it lists jobs.
 * @example
 * import { reconcile } from "@tryon/webhooks/reconcile";
 *
 * const since = new Date(Date.now() - 3_600_000);
 * const { cursor, recovered, leftBehind } = await reconcile(tryon, { receiver: POST, since });
 * console.log(`${recovered} lost events, next time from ${cursor}`, leftBehind);
 */
export async function reconcile<Job extends ListedJob>(
  tryon: JobLister<Job>,
  options: ReconcileOptions<Job>,
): Promise<Reconciled> {
  const {
    receiver: events,
    since,
    filter,
  } = readOptions("an option of reconcile", options, {
    receiver: {
      expected: "a receiver of createReceiver of @tryon/webhooks or one of its adapters",
      // The property has no other value.
      read: (given) => Reflect.get(Object(given), eventHandler) as EventHandler | undefined,
      isRequired: true,
    },
    since: {
      expected: "a valid Date, or the cursor of the last call",
      read(given) {
        const time = timeOf(given);
        return Number.isFinite(time) ? time : undefined;
      },
      isRequired: true,
    },
    filter: { ...func<(job: Job) => boolean>(), fallback: () => true },
  });
  if (events.memory === 0) {
    const hint = "Pass one that survives a restart, or events would be handled again.";
    throw new OptionsError("receiver", "has no store", hint);
  }
  const now = events.now();
  // A stored cursor would be rejected by every call. A `Date` is in the code of the caller.
  if (typeof options.since !== "string" && now - since > events.memory) {
    const problem = "is longer ago than the receiver remembers events (dedupeTtl)";
    const hint = "Pass a later time, or they would be handled again.";
    throw new OptionsError("since", problem, hint);
  }
  const window = reconcileWindow(since, now, events.memory);
  const counts = { handled: 0, recovered: 0, failed: 0, running: 0 };
  const leftBehind: LeftBehindJob[] = [];
  const created: number[] = [];
  const open: { readonly time: number; readonly job: LeftBehindJob }[] = [];
  for await (const job of tryon.jobs.list()) {
    const { created_at } = job.data;
    const createdAt = timeOf(created_at ?? "");
    if (createdAt < window.start) break;
    created.push(createdAt);
    if (!filter(job)) continue;
    const { reason, isNew } = await pass(job, events, window.isRemembered);
    if (isNew) counts.recovered += 1;
    if (reason !== "out_of_range") counts[reason] += 1;
    if (reason === "handled") continue;
    const left = { id: job.id, createdAt: created_at ?? undefined, reason };
    if (reason === "out_of_range") leftBehind.push(left);
    else open.push({ time: createdAt || window.start, job: left });
  }
  const cursor = window.cursor(
    created,
    open.map(({ time }) => time),
  );
  for (const { time, job } of open) if (time < cursor) leftBehind.push(job);
  return { ...counts, cursor: new Date(cursor).toISOString(), leftBehind };
}

async function pass(
  { id, data }: ListedJob,
  events: EventHandler,
  isRemembered: (time: number) => boolean,
): Promise<{ reason: LeftBehindJob["reason"] | "handled"; isNew?: boolean }> {
  const { status } = data;
  if (status !== "succeeded" && status !== "failed") return { reason: "running" };
  const endedAt = timeOf(data.completed_at ?? "") || timeOf(data.created_at ?? "");
  if (!isRemembered(endedAt)) return { reason: "out_of_range" };
  const { status: code, isNew } = await events.handle(completedEvent(id, status, { ...data }));
  return { reason: code < 300 ? "handled" : "failed", isNew };
}

function timeOf(time: unknown): number {
  const text = String(time instanceof Date ? time.getTime() : time);
  return /^-?\d+$/.test(text) ? Number(text) : serviceTime(text);
}
