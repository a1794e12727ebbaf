import type { JobData } from "../types/job.ts";
import { isBranded, transientCodes, type TryOnError } from "../errors/tryon-error.ts";
import { defaults } from "../config/options.ts";
import { abortable, within, type Deadline } from "../http/deadline.ts";
import type { Api } from "../api/api.ts";
import { isFinal } from "./job-data.ts";
import { JobPages } from "./job-pages.ts";
import { delayAfter, failureDelay, pollDelay, type PendingWait } from "./poll-delay.ts";
import { PollAllowance } from "./poll-allowance.ts";
import { isHidden, watchVisibility } from "./page-visibility.ts";
import { RunTimes } from "./run-times.ts";
import { serviceTime } from "./service-time.ts";

/** Maximum time between due times of jobs that share a poll, in milliseconds. */
const maxGap = 1_000;
/** Maximum number of concurrent polls by id. */
const maxConcurrentPolls = 4;
/** Minimum number of missing jobs for which another page is cheaper than polls by id. */
const minMissingForPage = 3;
/** Maximum time for which reads of the service may not show a new job, in milliseconds. */
const maxReadLag = 5_000;

/** Functions that settle the wait for the next poll of a job. */
interface Settle {
  readonly resolve: (data: JobData) => void;
  readonly reject: (error: unknown) => void;
}

/** Job with waits. */
interface PolledJob {
  readonly id: string;
  readonly waits: Map<PendingWait, Settle>;
  due: number;
  /** If true, the next poll is by id, since the list did not show the job. */
  byId: boolean;
  /** Poll in flight. */
  poll: Poll | undefined;
}

/** Poll in flight, and the jobs that it has not returned yet. */
interface Poll {
  readonly jobs: Set<PolledJob>;
  readonly controller: AbortController;
}

/**
 * Polls jobs for all waits of a client: one job by its id, several by the list. A poll serves all waits for the jobs that it
 * returns. The timer and the listener exist only during waits.
 */
export class JobPoller {
  readonly runTimes = new RunTimes();
  readonly #api: Api;
  readonly #allowance: PollAllowance;
  readonly #pages: JobPages;
  readonly #jobs = new Map<string, PolledJob>();
  #timer: unknown;
  #timerAt = Number.POSITIVE_INFINITY;
  #stopWatching: (() => void) | undefined;

  constructor(api: Api) {
    this.#api = api;
    this.#allowance = new PollAllowance(api.http);
    this.#pages = new JobPages(api);
  }

  /**
   * Returns the data of the next poll of a job. Rejects with the caller's abort reason, at the end of the time, or with an
   * error that is not transient.
   */
  async next(wait: PendingWait, deadline: Deadline): Promise<JobData> {
    const { signal } = deadline;
    signal.throwIfAborted();
    const { id } = wait;
    const { random } = this.#api.http.config;
    const now = this.#now;
    const runTime = this.runTimes.of(wait.kinds);
    const due = now + pollDelay(wait, { now, left: deadline.left(), runTime, random });
    const job: PolledJob = this.#jobs.get(id) ?? {
      id,
      waits: new Map(),
      due,
      byId: false,
      poll: undefined,
    };
    job.due = Math.min(job.due, due);
    this.#jobs.set(id, job);
    this.#api.http.rateLimiter.isPolling = true;
    this.#stopWatching ??= watchVisibility(() => this.#onVisible());
    this.#arm(due);
    const data = new Promise<JobData>((resolve, reject) => {
      job.waits.set(wait, { resolve, reject });
    });
    try {
      return await abortable(data, signal);
    } finally {
      this.#leave(job, wait);
    }
  }

  get #now(): number {
    return this.#api.http.config.clock.now();
  }

  #leave(job: PolledJob, wait: PendingWait): void {
    job.waits.delete(wait);
    if (job.waits.size === 0) this.#drop(job);
    if (this.#jobs.size > 0) return;
    this.#disarm();
    this.#api.http.rateLimiter.isPolling = false;
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  }

  /** Ends the polls of a job. Aborts a poll in flight that no other job needs. */
  #drop(job: PolledJob): void {
    const { id, poll } = job;
    if (this.#jobs.get(id) === job) this.#jobs.delete(id);
    poll?.jobs.delete(job);
    if (poll?.jobs.size === 0) poll.controller.abort();
  }

  /** Polls at once when the page becomes visible. */
  #onVisible(): void {
    if (isHidden()) return;
    const now = this.#now;
    for (const job of this.#jobs.values()) job.due = Math.min(job.due, now);
    this.#arm(now);
  }

  #arm(due: number): void {
    const at = Math.max(due, this.#allowance.opensAt);
    if (at >= this.#timerAt) return;
    this.#disarm();
    this.#timerAt = at;
    const { clock } = this.#api.http.config;
    this.#timer = clock.setTimeout(() => this.#pollDue(), Math.max(0, at - clock.now()));
  }

  #disarm(): void {
    this.#api.http.config.clock.clearTimeout(this.#timer);
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  /** Sets the timer for the next due time of a job without a poll in flight. */
  #rearm(): void {
    for (const { due, poll } of this.#jobs.values()) if (!poll) this.#arm(due);
  }

  #pollDue(): void {
    this.#disarm();
    const now = this.#now;
    const end = now + Math.max(maxGap, this.#allowance.delay());
    const due = [...this.#jobs.values()]
      .filter((job) => !job.poll && job.due <= end)
      .toSorted((one, other) => one.due - other.due);
    if (due[0] && due[0].due <= now) {
      const hasList = this.#pages.isOpen(now);
      const listed = due.filter(({ byId }) => hasList && !byId);
      const useList = listed.length > 1;
      const single = (useList ? due.filter(({ byId }) => byId) : due).slice(0, maxConcurrentPolls);
      this.#allowance.count(single.length);
      if (useList) {
        this.#allowance.spaceLists();
        void this.#poll(listed, (deadline, { jobs }) => this.#list(deadline, jobs));
      }
      for (const job of single) {
        void this.#poll([job], async (deadline) => {
          const { data } = await this.#api.getJob(job.id, { deadline });
          this.#pages.recordPollById(this.#now);
          this.#deliver([data]);
        });
      }
    }
    this.#rearm();
  }

  /** Sends a poll for some jobs. A failure that is not transient ends their waits. */
  async #poll(
    jobs: readonly PolledJob[],
    work: (deadline: Deadline, poll: Poll) => Promise<void>,
  ): Promise<void> {
    const poll = { jobs: new Set(jobs), controller: new AbortController() };
    for (const job of jobs) job.poll = poll;
    const { config } = this.#api.http;
    const { signal } = poll.controller;
    try {
      await within(config, { signal }, defaults.callTimeout, (deadline) => work(deadline, poll));
    } catch (error) {
      this.#fail(error, poll);
    } finally {
      for (const job of poll.jobs) job.poll = undefined;
      this.#rearm();
    }
  }

  /** Polls jobs by the list. Those that its pages do not show are polled by id next. */
  async #list(deadline: Deadline, missing: ReadonlySet<PolledJob>): Promise<void> {
    let cursor: string | undefined;
    let poor = 0;
    while (!this.#pages.isClosed) {
      this.#allowance.count(1);
      const page = await this.#pages.page(cursor, deadline);
      if (!page) continue;
      const before = missing.size;
      this.#deliver(page.jobs);
      const { size } = missing;
      const next = page.next_cursor ?? undefined;
      if (size < minMissingForPage || next === undefined || next === cursor) break;
      // Pages with few of the jobs cost at most a ninth of the polls by id that remain.
      const isPoor = before - size < minMissingForPage;
      if (isPoor && size < minMissingForPage ** 2 * (poor += 1)) break;
      cursor = next;
    }
    const now = this.#now;
    for (const job of missing) {
      const lags = [...job.waits.keys()].some((wait) => isWithinReadLag(wait, now));
      job.byId = !lags;
      job.due = lags ? now + failureDelay : now;
    }
  }

  /** Delivers the data of jobs to their waits. */
  #deliver(jobs: readonly JobData[]): void {
    const now = this.#now;
    for (const data of jobs) {
      const job = this.#jobs.get(data.job_id);
      if (!job) continue;
      const created = serviceTime(data.created_at);
      const [first] = job.waits.keys();
      if (first && isFinal(data.status)) this.#learnRunTime(first, data);
      for (const [wait, { resolve }] of job.waits) {
        if (wait.unseen && wait.polls === 0 && created <= now) wait.since = created;
        wait.polls += 1;
        wait.failure = undefined;
        resolve(data);
      }
      this.#drop(job);
    }
  }

  #learnRunTime({ kinds, since, unseen }: PendingWait, data: JobData): void {
    const { duration_ms, completed_at, created_at, cost_credits: cost } = data;
    const between = serviceTime(completed_at) - serviceTime(created_at);
    // A resumed job may have ended long before this poll.
    const duration = duration_ms ?? (between > 0 || unseen ? between : this.#now - since);
    this.runTimes.learn([...kinds, ...(cost ? [String(cost)] : [])], duration);
  }

  #fail(error: unknown, { jobs, controller }: Poll): void {
    // All waits for its jobs have ended.
    if (controller.signal.aborted) return;
    const now = this.#now;
    const known = isBranded(error) ? error : undefined;
    const endsAll = known?.code === "unauthorized" || known?.code === "forbidden";
    const [first] = jobs;
    // One poll by id shows whether only the list fails.
    if (first && this.#pages.fails) first.byId = true;
    for (const job of endsAll ? this.#jobs.values() : jobs) {
      if (known) job.due = now + delayAfter(known);
      for (const [wait, { reject }] of job.waits) {
        if (known && isTransient(known, wait, now)) wait.failure = known;
        else reject(known ? copyError(known) : error);
      }
    }
  }
}

/** Returns true while reads of the service may not show a new job. */
function isWithinReadLag({ knownSince }: PendingWait, now: number): boolean {
  return now - knownSince < maxReadLag;
}

/** Returns true if a poll that failed with this error may succeed later. */
function isTransient({ code }: TryOnError, wait: PendingWait, now: number): boolean {
  return transientCodes.has(code) || (code === "not_found" && isWithinReadLag(wait, now));
}

/** Copies an error, since each of its waits sets its own job on it. */
function copyError(error: TryOnError): unknown {
  const copy = Object.defineProperties(new Error(), Object.getOwnPropertyDescriptors(error));
  // `Error.isError` is false for an object without a constructor call.
  return Object.setPrototypeOf(copy, Object.getPrototypeOf(error) as object) as unknown;
}
