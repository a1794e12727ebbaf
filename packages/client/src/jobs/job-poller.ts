import type { JobData } from "../types/job.ts";
import { transientCodes } from "../errors/code.ts";
import { isBranded, type TryOnError } from "../errors/tryon-error.ts";
import { defaults } from "../config/options.ts";
import { abortable, within, type Deadline } from "../http/deadline.ts";
import type { Api } from "../api/api.ts";
import { isFinal } from "./job-data.ts";
import { onVisible, PollSchedule, type PendingWait } from "./poll-schedule.ts";

/** Maximum time between due times of jobs that share a poll, in milliseconds. */
const maxGap = 1_000;
/** Minimum number of missing jobs per page read for which another page is cheaper than polls by id. */
const minMissingPerPage = 4;
/** Maximum time for which reads of the service may not show a new job, in milliseconds. */
const maxReadLag = 5_000;
/** Minimum delay after a failure, in milliseconds. */
const failureDelay = 1_000;
/** Time for which jobs are polled by id after a failure of the list, in milliseconds. */
const closedTime = 60_000;

/** Functions that settle a wait. */
interface Settle {
  readonly resolve: (data: JobData) => void;
  readonly reject: (error: unknown) => void;
}

/** Job with waits for its next poll. */
interface PolledJob {
  readonly id: string;
  readonly waits: Map<PendingWait, Settle>;
  /** Start of the first wait, in milliseconds since 1970. */
  readonly since: number;
  due: number;
  /** If true, the next poll is by id, since the list did not show the job. */
  byId: boolean;
  /** Last transient failure. */
  failure?: TryOnError;
}

/** Poll in flight, and the jobs that it has not returned yet. */
interface Poll {
  readonly jobs: Set<PolledJob>;
  readonly controller: AbortController;
}

/**
 * Polls jobs for all waits of a client, one request at a time: one job by its id, several by the list. A poll serves all
 * waits for the jobs that it returns. The timer and the listener exist only during waits.
 */
export class JobPoller {
  readonly #api: Api;
  readonly #schedule: PollSchedule;
  readonly #jobs = new Map<string, PolledJob>();
  /** Size of the pages of the list: the documented maximum, or the service's default if it rejects that. */
  #pageSize: number | undefined = 100;
  /** Time from which the list is read again after a failure, in milliseconds since 1970. */
  #listOpensAt = 0;
  #poll: Poll | undefined;
  #timer: unknown;
  #timerAt = Number.POSITIVE_INFINITY;
  #stopWatching: (() => void) | undefined;

  constructor(api: Api) {
    this.#api = api;
    this.#schedule = new PollSchedule(api.http.config, api.http.rateLimiter);
  }

  /**
   * Returns the data of the next poll of a job. Rejects with the caller's abort reason, with an error that is not transient,
   * or at the end of the time with the last failure.
   */
  async next(wait: PendingWait, deadline: Deadline): Promise<JobData> {
    const { signal } = deadline;
    signal.throwIfAborted();
    const { id } = wait;
    const due = this.#schedule.dueAt(wait, deadline.left());
    const job: PolledJob = this.#jobs.get(id) ?? {
      id,
      waits: new Map(),
      since: this.#now,
      due,
      byId: false,
    };
    job.due = Math.min(job.due, due);
    this.#jobs.set(id, job);
    this.#api.http.rateLimiter.isPolling = true;
    this.#stopWatching ??= onVisible(() => this.#pollAll());
    this.#arm(due);
    const data = new Promise<JobData>((resolve, reject) => {
      job.waits.set(wait, { resolve, reject });
    });
    try {
      return await abortable(data, signal);
    } catch (error) {
      throw (deadline.passed && job.failure) || error;
    } finally {
      this.#leave(job, wait);
    }
  }

  get #now(): number {
    return this.#api.http.config.clock.now();
  }

  /** Ends a wait. Without another wait for a job of the poll in flight, the poll is aborted. */
  #leave(job: PolledJob, wait: PendingWait): void {
    job.waits.delete(wait);
    if (job.waits.size === 0) {
      if (this.#jobs.get(job.id) === job) this.#jobs.delete(job.id);
      if (this.#poll?.jobs.delete(job) && this.#poll.jobs.size === 0) this.#poll.controller.abort();
    }
    if (this.#jobs.size > 0) return;
    this.#disarm();
    this.#api.http.rateLimiter.isPolling = false;
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  }

  /** Makes all jobs due now. */
  #pollAll(): void {
    const now = this.#now;
    for (const job of this.#jobs.values()) job.due = Math.min(job.due, now);
    this.#arm(now);
  }

  #arm(due: number): void {
    const at = Math.max(due, this.#schedule.opensAt);
    if (this.#poll || at >= this.#timerAt) return;
    this.#disarm();
    this.#timerAt = at;
    const { clock } = this.#api.http.config;
    this.#timer = clock.setTimeout(() => void this.#pollDue(), Math.max(0, at - clock.now()));
  }

  #disarm(): void {
    this.#api.http.config.clock.clearTimeout(this.#timer);
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #rearm(): void {
    for (const { due } of this.#jobs.values()) this.#arm(due);
  }

  /** Polls the job with the earliest due time, with those that are due soon after it. */
  async #pollDue(): Promise<void> {
    this.#disarm();
    const now = this.#now;
    const jobs = [...this.#jobs.values()].toSorted((one, other) => one.due - other.due);
    const [first] = jobs;
    // The job that the timer was for may be gone.
    if (!first || first.due > now) return this.#rearm();
    const end = now + Math.max(maxGap, this.#schedule.interval());
    const listed = jobs.filter(({ due, byId }) => !byId && due <= end);
    const useList = !first.byId && listed.length > 1 && now >= this.#listOpensAt;
    const poll = { jobs: new Set(useList ? listed : [first]), controller: new AbortController() };
    const { config } = this.#api.http;
    const { signal } = poll.controller;
    this.#poll = poll;
    try {
      await within(config, { signal }, defaults.callTimeout, (deadline) =>
        useList ? this.#readList(poll.jobs, deadline) : this.#readJob(first.id, deadline),
      );
    } catch (error) {
      // All waits for its jobs have ended.
      if (signal.aborted) return;
      if (useList) this.#closeList(error);
      this.#fail(error, poll.jobs, useList);
    } finally {
      this.#poll = undefined;
      this.#rearm();
    }
  }

  async #readJob(id: string, deadline: Deadline): Promise<void> {
    this.#schedule.countPoll();
    const { data } = await this.#api.getJob(id, { deadline });
    this.#deliver([data]);
  }

  /** Reads the list. Jobs that its pages do not show are polled by id next. */
  async #readList(missing: ReadonlySet<PolledJob>, deadline: Deadline): Promise<void> {
    let cursor: string | undefined;
    let pages = 0;
    do {
      pages += 1;
      this.#schedule.countPoll();
      const limit = this.#pageSize;
      const query = { ...(limit && { limit }), ...(cursor && { cursor }) };
      const { data: page } = await this.#api.listJobs(query, { deadline });
      this.#deliver(page.jobs);
      cursor = page.next_cursor ?? undefined;
    } while (cursor && missing.size >= minMissingPerPage * pages);
    let due = this.#now;
    for (const job of missing) {
      job.byId = true;
      job.due = due;
      // Other jobs are polled in between.
      due += this.#schedule.interval();
    }
  }

  /** Delivers the data of jobs to their waits. */
  #deliver(jobs: readonly JobData[]): void {
    for (const data of jobs) {
      const job = this.#jobs.get(data.job_id);
      if (!job) continue;
      const [first] = job.waits.keys();
      if (first && isFinal(data.status)) this.#schedule.learn(first.kind, data.duration_ms);
      for (const { resolve } of job.waits.values()) resolve(data);
      this.#jobs.delete(job.id);
      this.#poll?.jobs.delete(job);
    }
  }

  /** Uses smaller pages if the service rejects their size, else polls by id for a while. A proxy may close the list alone. */
  #closeList(error: unknown): void {
    const { status } = isBranded(error) ? error : {};
    if (this.#pageSize && (status === 400 || status === 422)) this.#pageSize = undefined;
    else this.#listOpensAt = this.#now + closedTime;
  }

  /** Ends waits after a failure that is not transient. */
  #fail(error: unknown, jobs: Iterable<PolledJob>, isList: boolean): void {
    const now = this.#now;
    const known = isBranded(error) ? error : undefined;
    const { code, retryAfter = 0 } = known ?? {};
    const endsAll = code === "unauthorized" || (code === "forbidden" && !isList);
    for (const job of endsAll ? this.#jobs.values() : jobs) {
      job.due = now + Math.max(failureDelay, retryAfter * 1_000);
      // A new job may be missing.
      const isMissing = code === "not_found" && now - job.since < maxReadLag;
      const isTransient = isMissing || (code && transientCodes.has(code)) || (isList && !endsAll);
      if (known && isTransient) job.failure = known;
      else for (const { reject } of job.waits.values()) reject(known ? copyError(known) : error);
    }
  }
}

/** Copies an error, since each of its waits sets its own job on it. */
function copyError(error: TryOnError): unknown {
  const copy = Object.defineProperties(new Error(), Object.getOwnPropertyDescriptors(error));
  // `Error.isError` is false for an object without a constructor call.
  return Object.setPrototypeOf(copy, Object.getPrototypeOf(error) as object) as unknown;
}
