import type { JobData } from "../types/job.ts";
import { isBranded } from "../errors/tryon-error.ts";
import { defaults } from "../config/options.ts";
import { abortable, Deadline } from "../http/deadline.ts";
import type { Api } from "../api/api.ts";
import { copyOf } from "./copy-error.ts";
import { isFinal } from "./job-data.ts";
import { JobPages } from "./job-pages.ts";
import { failureDelay, pollDelay, delayAfter } from "./poll-delay.ts";
import { PollAllowance } from "./poll-allowance.ts";
import { isHidden, watchVisibility } from "./page-visibility.ts";
import { isWithinReadLag, isTransient } from "./transient-errors.ts";
import { RunTimes } from "./run-times.ts";
import { serviceTime } from "./service-time.ts";
import type { PendingWait } from "./pending-wait.ts";

/** Maximum time between due times of waits that share a poll, in milliseconds. */
const maxGap = 1_000;
/** Maximum number of concurrent polls by id. */
const maxConcurrentPolls = 4;
/** Minimum number of missing jobs for which another page is cheaper than polls by id. */
const minMissingForPage = 3;

/** Wait for the next poll of a job. */
interface Waiter {
  readonly wait: PendingWait;
  due: number;
  readonly resolve: (data: JobData) => void;
  readonly reject: (error: unknown) => void;
}

/** Poll in flight, and its waiters. */
interface Poll {
  readonly waiters: Set<Waiter>;
  readonly controller: AbortController;
}

/**
 * Polls jobs for all waits of a client: one job by its id, several by the list. A poll serves all waits for the jobs that it
 * returns. Without waits, there is no timer and no listener.
 */
export class JobPoller {
  readonly runTimes = new RunTimes();
  readonly #api: Api;
  readonly #allowance: PollAllowance;
  readonly #pages: JobPages;
  readonly #waiters = new Set<Waiter>();
  readonly #polls = new Set<Poll>();
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
    let waiter: Waiter | undefined;
    const data = new Promise<JobData>((resolve, reject) => {
      waiter = { wait, due: this.#due(wait, deadline.left()), resolve, reject };
      this.#join(waiter);
    });
    try {
      return await abortable(data, signal);
    } finally {
      if (waiter) this.#leave(waiter);
    }
  }

  get #now(): number {
    return this.#api.http.config.clock.now();
  }

  #due(wait: PendingWait, left: number): number {
    const now = this.#now;
    const { random } = this.#api.http.config;
    const runTime = this.runTimes.of(wait.kinds);
    return now + pollDelay(wait, { now, left, runTime, random });
  }

  #join(waiter: Waiter): void {
    this.#waiters.add(waiter);
    this.#api.http.rateLimiter.isPolling = true;
    this.#stopWatching ??= watchVisibility(() => this.#onVisible());
    this.#arm(waiter.due);
  }

  #leave(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    for (const { waiters, controller } of this.#polls) {
      if (waiters.delete(waiter) && waiters.size === 0) controller.abort();
    }
    if (this.#waiters.size > 0) return;
    this.#disarm();
    this.#api.http.rateLimiter.isPolling = false;
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  }

  /** Polls at once when the page becomes visible. */
  #onVisible(): void {
    if (isHidden()) return;
    for (const waiter of this.#waiters) waiter.due = Math.min(waiter.due, this.#now);
    this.#arm(this.#now);
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

  /** Sets the timer for the next due time without a poll in flight. */
  #rearm(): void {
    const due = this.#waitersWithoutPoll().reduce(
      (first, waiter) => Math.min(first, waiter.due),
      Infinity,
    );
    if (due < Number.POSITIVE_INFINITY) this.#arm(due);
  }

  /** Returns the waiters whose job is not being polled. */
  #waitersWithoutPoll(): Waiter[] {
    const asked = new Set<string>();
    for (const { waiters } of this.#polls) for (const { wait } of waiters) asked.add(wait.id);
    return [...this.#waiters].filter(({ wait }) => !asked.has(wait.id));
  }

  #pollDue(): void {
    this.#disarm();
    const now = this.#now;
    const due = this.#waitersWithoutPoll()
      .filter((waiter) => waiter.due <= now + Math.max(maxGap, this.#allowance.pause()))
      .toSorted((one, other) => one.due - other.due);
    if (due[0] && due[0].due <= now) {
      const hasList = this.#pages.isOpen(now);
      const isListed = ({ wait }: Waiter): boolean => hasList && wait.pollById === undefined;
      const listed = due.filter(isListed);
      const several = new Set(listed.map(({ wait }) => wait.id)).size > 1;
      const single = new Map<string, Waiter[]>();
      for (const waiter of due) {
        const { id } = waiter.wait;
        if (several && isListed(waiter)) continue;
        const same = single.get(id);
        if (same) same.push(waiter);
        else single.set(id, [waiter]);
      }
      const asked = [...single].slice(0, maxConcurrentPolls);
      this.#allowance.count(asked.length);
      if (several) {
        this.#allowance.rest();
        void this.#poll(listed, (deadline, poll) => this.#list(deadline, poll));
      }
      for (const [id, waiters] of asked) {
        void this.#poll(waiters, async (deadline) => {
          const { data } = await this.#api.getJob(id, { deadline });
          this.#pages.jobWasGiven(this.#now);
          this.#deliver([data]);
        });
      }
    }
    this.#rearm();
  }

  /** Sends a poll for some waiters. A failure that is not transient ends their waits. */
  async #poll(
    waiters: readonly Waiter[],
    work: (deadline: Deadline, poll: Poll) => Promise<void>,
  ): Promise<void> {
    const poll = { waiters: new Set(waiters), controller: new AbortController() };
    this.#polls.add(poll);
    const { clock } = this.#api.http.config;
    const deadline = new Deadline(clock, defaults.callTimeout, poll.controller.signal);
    try {
      await work(deadline, poll);
    } catch (error) {
      this.#fail(error, poll);
    } finally {
      deadline.close();
      this.#polls.delete(poll);
      this.#rearm();
    }
  }

  async #list(deadline: Deadline, poll: Poll): Promise<void> {
    let cursor: string | undefined;
    let poor = 0;
    for (;;) {
      if (this.#pages.isClosed) return;
      this.#allowance.count(1);
      const page = await this.#pages.page(cursor, deadline);
      if (page) {
        const before = poll.waiters.size;
        this.#deliver(page.jobs);
        for (const waiter of poll.waiters) {
          if (!this.#waiters.has(waiter)) poll.waiters.delete(waiter);
        }
        const { size } = poll.waiters;
        const shown = before - size;
        const next = page.next_cursor ?? undefined;
        if (size < minMissingForPage) return this.#pollById(poll, "once");
        // Pages with few of the jobs cost at most a ninth of the polls by id that remain.
        if (shown < minMissingForPage && size < minMissingForPage ** 2 * (poor += 1)) break;
        if (next === undefined || next === cursor) break;
        cursor = next;
      }
    }
    this.#pollById(poll, "always");
  }

  /** Polls by id for the waiters whose job was not on the pages. */
  #pollById({ waiters }: Poll, pollById: PendingWait["pollById"]): void {
    const now = this.#now;
    for (const waiter of waiters) {
      const { wait } = waiter;
      const lags = isWithinReadLag(wait, now);
      wait.pollById = lags ? undefined : pollById;
      waiter.due = lags ? now + failureDelay : now;
    }
  }

  /** Delivers the data of jobs to their waiters. */
  #deliver(jobs: readonly JobData[]): void {
    const now = this.#now;
    const shown = new Map(jobs.map((data) => [data.job_id, data]));
    const learned = new Set<string>();
    for (const waiter of this.#waiters) {
      const { wait } = waiter;
      const data = shown.get(wait.id);
      if (!data) continue;
      const created = serviceTime(data.created_at);
      if (wait.unseen && wait.polls === 0 && created <= now) wait.since = created;
      if (isFinal(data.status) && !learned.has(wait.id)) this.#learnRunTime(wait, data);
      learned.add(wait.id);
      wait.polls += 1;
      if (wait.pollById === "once") wait.pollById = undefined;
      wait.failure = undefined;
      this.#waiters.delete(waiter);
      waiter.resolve(data);
    }
  }

  #learnRunTime({ kinds, since, unseen }: PendingWait, data: JobData): void {
    const { duration_ms: told, completed_at, created_at, cost_credits: cost } = data;
    const between = serviceTime(completed_at) - serviceTime(created_at);
    // A resumed job may have ended long before this poll.
    const duration = told ?? (between > 0 || unseen ? between : this.#now - since);
    this.runTimes.learn([...kinds, ...(cost ? [String(cost)] : [])], duration);
  }

  #fail(error: unknown, poll: Poll): void {
    // All its waiters have left.
    if (poll.controller.signal.aborted) return;
    const all = isBranded(error) && (error.code === "unauthorized" || error.code === "forbidden");
    let probes = 0;
    for (const waiter of all ? [...this.#waiters] : poll.waiters) {
      if (!this.#waiters.has(waiter)) continue;
      const now = this.#now;
      if (!isBranded(error) || !isTransient(error, waiter.wait, now)) {
        waiter.reject(copyOf(error));
      } else {
        waiter.wait.failure = error;
        waiter.due = now + delayAfter(error);
        // One poll by id shows whether only the list fails.
        if (this.#pages.fails && (probes += 1) === 1) waiter.wait.pollById ??= "once";
      }
    }
  }
}
