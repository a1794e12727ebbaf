import { isPage } from "#page";

import type { JobData } from "../types/job.ts";
import type { Part } from "../types/part.ts";
import { usePart } from "../errors/use-part.ts";
import { isBranded, transientCodes, type TryOnError } from "../errors/tryon-error.ts";
import type { ClientClock } from "../config/clock.ts";
import { defaults } from "../config/options.ts";
import { abortable, within, type Deadline } from "../http/deadline.ts";
import type { Api } from "../api/api.ts";
import { isForeign } from "../http/response-error.ts";
import { isHidden, page, PollSchedule, type PendingWait } from "./poll-schedule.ts";

/** Maximum time between due times of jobs that share a poll, in milliseconds. */
const maxGap = 1_000;
/** Maximum time for which reads of the service may not show a new job, in milliseconds. */
export const maxReadLag = 5_000;
/** Minimum delay after a first failure, and after many in a row, in milliseconds. */
const minFailureDelay = 1_000;
const maxFailureDelay = 30_000;
/** Time for which jobs are polled by id after a failure of the list, in milliseconds. */
const closedTime = 60_000;

/** Reads the list until it has shown most of the jobs. The others are polled by id next. */
export type ReadListed = (
  api: Api,
  jobs: readonly PolledJob[],
  options: {
    readonly deadline: Deadline;
    readonly limit: number | undefined;
    readonly schedule: Pick<PollSchedule, "countPoll" | "interval">;
    readonly deliver: (jobs: readonly JobData[]) => void;
    readonly isOpen: (job: PolledJob) => boolean;
    readonly readDelay: () => Promise<number>;
  },
) => Promise<void>;

export type ListReader = Part<{ readonly readListed: ReadListed }>;

/** Takes a part of a schedule that several processes share, and returns the time until it begins, in milliseconds. */
export type TakeTime = (duration: number) => Promise<number>;

export interface PolledJob {
  readonly id: string;
  readonly waits: Map<PendingWait, Omit<PromiseWithResolvers<JobData>, "promise">>;
  readonly since: number;
  due: number;
  /** If true, the next poll is by id, since the list did not show the job. */
  byId: boolean;
  isPolled: boolean;
  failure?: TryOnError;
  failures: number;
}

/**
 * Polls jobs for all waits of a client: one job by its id, several by the list. A poll serves all waits for the jobs that it
 * returns. The timer exists only during waits.
 */
export class JobPoller {
  readonly #api: Api;
  readonly #clock: ClientClock;
  readonly #schedule: PollSchedule;
  readonly #schedules: ReadonlySet<TakeTime>;
  readonly #loadList: ListReader | undefined;
  readonly #jobs = new Map<string, PolledJob>();
  /** Size of the pages of the list: the documented maximum, or the service's default if it rejects that. */
  #pageSize: number | undefined = 100;
  #listOpensAt = 0;
  /** If true, the schedule that processes share has given a time to the next poll, which has come once the timer fires. */
  #hasTurn = false;
  #takesTurn = false;
  #controller: AbortController | undefined;
  #timer: unknown;

  /**
   * @param schedules - Schedules of polls that the client shares with other processes. The first one applies.
   * @param loadList - Reader of the list. Without it, each job is polled by its id.
   */
  constructor(api: Api, schedules: ReadonlySet<TakeTime>, loadList?: ListReader) {
    this.#api = api;
    this.#loadList = loadList;
    this.#schedules = schedules;
    this.#clock = api.http.config.clock;
    this.#schedule = new PollSchedule(api.http.config, api.http.rateLimiter);
  }

  /**
   * Returns the data of the next poll of a job. Rejects with the caller's abort reason, with an error that is not transient,
   * or at the end of the time with the last failure.
   */
  async next(wait: PendingWait, deadline: Deadline): Promise<JobData> {
    const { id } = wait;
    const due = this.#schedule.dueAt(wait, deadline.left());
    const job: PolledJob = this.#jobs.get(id) ?? {
      id,
      waits: new Map(),
      since: this.#clock.monotonic(),
      due,
      byId: false,
      isPolled: false,
      failures: 0,
    };
    job.due = Math.min(job.due, due);
    this.#jobs.set(id, job);
    this.#api.http.rateLimiter.isPolling = true;
    page()?.addEventListener("visibilitychange", this.#onVisibilityChange);
    this.#arm();
    const data = new Promise<JobData>((resolve, reject) => {
      job.waits.set(wait, { resolve, reject });
    });
    try {
      return await abortable(data, deadline.signal);
    } catch (error) {
      throw (deadline.passed && job.failure) || error;
    } finally {
      this.#leave(job, wait);
    }
  }

  #leave(job: PolledJob, wait: PendingWait): void {
    job.waits.delete(wait);
    if (job.waits.size === 0 && this.#isOpen(job)) this.#jobs.delete(job.id);
    if (this.#jobs.size > 0) return;
    this.#arm();
    this.#controller?.abort();
    this.#controller = undefined;
    this.#hasTurn = false;
    this.#api.http.rateLimiter.isPolling = false;
    page()?.removeEventListener("visibilitychange", this.#onVisibilityChange);
  }

  readonly #isOpen = (job: PolledJob): boolean => this.#jobs.get(job.id) === job;

  readonly #onVisibilityChange = (): void => {
    if (isHidden()) return;
    for (const job of this.#jobs.values()) job.due = Math.min(job.due, this.#clock.monotonic());
    this.#arm();
  };

  #arm(): void {
    const clock = this.#clock;
    clock.clearTimeout(this.#timer);
    let due = Infinity;
    for (const job of this.#jobs.values()) if (!job.isPolled) due = Math.min(due, job.due);
    if (due === Infinity || this.#takesTurn) return;
    const delay = Math.max(due, this.#schedule.opensAt) - clock.monotonic();
    this.#timer = clock.setTimeout(this.#pollDue, delay);
  }

  readonly #pollDue = (): void => {
    const now = this.#clock.monotonic();
    const jobs = [...this.#jobs.values()]
      .filter(({ isPolled }) => !isPolled)
      // The filter has made a copy. Hermes has no `toSorted`.
      // oxlint-disable-next-line unicorn/no-array-sort
      .sort((one, other) => one.due - other.due);
    const [first] = jobs;
    if (first && first.due <= now) {
      let end = now + Math.max(maxGap, this.#schedule.interval());
      // Pages share no schedule.
      if (!isPage && this.#schedules.size > 0) {
        if (!this.#hasTurn) return void this.#takeTurn();
        this.#hasTurn = false;
        // Turns are rare, so one of them serves all jobs.
        end = Infinity;
      }
      const listed = jobs.filter(({ due, byId }) => !byId && due <= end);
      const load = this.#loadList;
      if (!load || first.byId || listed.length < 2 || now < this.#listOpensAt) {
        void this.#poll([first], (deadline) => this.#readJob(first.id, deadline));
      } else {
        void this.#poll(listed, (deadline) => this.#readList(load, listed, deadline));
      }
    }
    this.#arm();
  };

  async #takeTurn(): Promise<void> {
    if (isPage) return;
    this.#takesTurn = true;
    this.#schedule.opensAt = this.#clock.monotonic() + (await this.#readDelay());
    this.#takesTurn = false;
    this.#hasTurn = this.#jobs.size > 0;
    this.#arm();
  }

  /** Takes a time for one poll, and returns the delay until then. A schedule that fails delays nothing. */
  async #readDelay(): Promise<number> {
    if (isPage) return 0;
    const [takeTime] = this.#schedules;
    return takeTime?.(this.#schedule.interval(true)).catch(() => 0) ?? 0;
  }

  async #poll(
    jobs: readonly PolledJob[],
    read: (deadline: Deadline) => Promise<void>,
  ): Promise<void> {
    for (const job of jobs) job.isPolled = true;
    this.#controller ??= new AbortController();
    const { signal } = this.#controller;
    try {
      await within(this.#api.http.config, { signal }, defaults.callTimeout, read);
    } catch (error) {
      if (!signal.aborted) this.#fail(error, jobs);
    } finally {
      for (const job of jobs) job.isPolled = false;
      this.#arm();
    }
  }

  async #readJob(id: string, deadline: Deadline): Promise<void> {
    this.#schedule.countPoll();
    const { data } = await this.#api.getJob(id, { deadline, isPoll: true });
    this.#deliver([data]);
  }

  async #readList(load: ListReader, jobs: readonly PolledJob[], deadline: Deadline): Promise<void> {
    const { readListed } = await usePart(load);
    await readListed(this.#api, jobs, {
      deadline,
      limit: this.#pageSize,
      schedule: this.#schedule,
      deliver: (shown) => this.#deliver(shown),
      isOpen: this.#isOpen,
      readDelay: () => this.#readDelay(),
    });
  }

  #deliver(jobs: readonly JobData[]): void {
    for (const data of jobs) {
      const job = this.#jobs.get(data.job_id);
      if (!job) continue;
      const [first] = job.waits.keys();
      if (first) this.#schedule.learn(first.kind, data.duration_ms);
      for (const { resolve } of job.waits.values()) resolve(data);
      this.#jobs.delete(job.id);
    }
  }

  /** Ends waits after a failure that is not transient. After a failure of the list, jobs are polled by id for a while. */
  #fail(error: unknown, jobs: readonly PolledJob[]): void {
    const isList = jobs.length > 1;
    const now = this.#clock.monotonic();
    const known = isBranded(error) ? error : undefined;
    const { status, retryAfter = 0 } = known ?? {};
    if (isList) {
      const rejectsSize = this.#pageSize && (status === 400 || status === 422);
      if (rejectsSize) this.#pageSize = undefined;
      else this.#listOpensAt = now + closedTime;
    }
    // A proxy may reject the list alone, and the service a job of another key alone.
    const isRepeated = jobs[0]?.failure?.status === status;
    // A firewall may refuse one poll, whatever the status.
    const isPassing = known && (isForeign(known) || transientCodes.has(known.code));
    const endsAll = !isPassing && !isList && (status === 401 || (status === 403 && isRepeated));
    for (const job of endsAll ? this.#jobs.values() : jobs.filter(this.#isOpen)) {
      const delay = Math.min(maxFailureDelay, minFailureDelay * 2 ** job.failures);
      job.failures += 1;
      job.due = now + Math.max(delay, retryAfter * 1_000);
      // Reads may not show a new job yet.
      const isMissing = status === 404 && now - job.since < maxReadLag;
      if (known && (isList || isMissing || isPassing)) job.failure = known;
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
