import { isBranded } from "../errors/tryon-error.ts";
import { defaults } from "../config/options.ts";
import { abortable, Deadline } from "../http/deadline.ts";
import type { Api } from "../api/api.ts";
import { copyOf } from "./copy-error.ts";
import { isFinal, type JobData } from "./job-data.ts";
import { JobPages } from "./job-pages.ts";
import { failureDelay, pollDelay, delayAfter } from "./poll-delay.ts";
import { PollAllowance } from "./poll-allowance.ts";
import { isHidden, watchVisibility } from "./page-visibility.ts";
import { isWithinReadLag, isTransient } from "./transient-errors.ts";
import { RunTimes } from "./run-times.ts";
import { serviceTime } from "./service-time.ts";
import type { PendingWait } from "./pending-wait.ts";

/** Waits that are due within so many milliseconds share a look. */
const together = 1_000;
/** How many jobs are asked for by their ids at the same time. */
const abreast = 4;
/** A further page is asked for as long as so many are missing: it is long, and for fewer hardly cheaper than asking by id. */
const worthPage = 3;

/** One who waits for the next look at a job. */
interface Waiter {
  readonly watch: PendingWait;
  due: number;
  readonly resolve: (data: JobData) => void;
  readonly reject: (error: unknown) => void;
}

/** A request that is under way, and those who wait for it. */
interface Look {
  readonly waiters: Set<Waiter>;
  readonly controller: AbortController;
}

/**
 * Looks at jobs for all waits of a client: at one by its id, at several by the list. Every wait gets each look that shows its
 * job. Nothing is left of it when nobody waits.
 */
export class JobPoller {
  readonly runTimes = new RunTimes();
  readonly #api: Api;
  readonly #allowance: PollAllowance;
  readonly #pages: JobPages;
  readonly #waiters = new Set<Waiter>();
  readonly #looks = new Set<Look>();
  #timer: unknown;
  #timerAt = Number.POSITIVE_INFINITY;
  #unwatch: (() => void) | undefined;

  constructor(api: Api) {
    this.#api = api;
    this.#allowance = new PollAllowance(api.http);
    this.#pages = new JobPages(api);
  }

  /**
   * Gives the job as it is after a sensible while. Rejects with what ends the wait: the caller's reason, the end of the
   * time, or an error that will not pass.
   */
  async next(watch: PendingWait, deadline: Deadline): Promise<JobData> {
    const { signal } = deadline;
    signal.throwIfAborted();
    let waiter: Waiter | undefined;
    const data = new Promise<JobData>((resolve, reject) => {
      waiter = { watch, due: this.#due(watch, deadline.left()), resolve, reject };
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

  #due(watch: PendingWait, left: number): number {
    const now = this.#now;
    const { random } = this.#api.http.config;
    const runTime = this.runTimes.of(watch.kinds);
    return now + pollDelay(watch, { now, left, runTime, random });
  }

  #join(waiter: Waiter): void {
    this.#waiters.add(waiter);
    this.#api.http.rateLimiter.isPolling = true;
    this.#unwatch ??= watchVisibility(() => this.#seen());
    this.#arm(waiter.due);
  }

  #leave(waiter: Waiter): void {
    this.#waiters.delete(waiter);
    for (const { waiters, controller } of this.#looks) {
      if (waiters.delete(waiter) && waiters.size === 0) controller.abort();
    }
    if (this.#waiters.size > 0) return;
    this.#disarm();
    this.#api.http.rateLimiter.isPolling = false;
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  /** Looks at once when the page is shown again. */
  #seen(): void {
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
    this.#timer = clock.setTimeout(() => this.#wake(), Math.max(0, at - clock.now()));
  }

  #disarm(): void {
    this.#api.http.config.clock.clearTimeout(this.#timer);
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  /** Sets the timer for the first that is due and not asked for yet. */
  #rearm(): void {
    const due = this.#idle().reduce((first, waiter) => Math.min(first, waiter.due), Infinity);
    if (due < Number.POSITIVE_INFINITY) this.#arm(due);
  }

  /** Those whose job no look is under way for. */
  #idle(): Waiter[] {
    const asked = new Set<string>();
    for (const { waiters } of this.#looks) for (const { watch } of waiters) asked.add(watch.id);
    return [...this.#waiters].filter(({ watch }) => !asked.has(watch.id));
  }

  #wake(): void {
    this.#disarm();
    const now = this.#now;
    const due = this.#idle()
      .filter((waiter) => waiter.due <= now + Math.max(together, this.#allowance.pause()))
      .toSorted((one, other) => one.due - other.due);
    if (due[0] && due[0].due <= now) {
      const hasList = this.#pages.isOpen(now);
      const isListed = ({ watch }: Waiter): boolean => hasList && watch.byId === undefined;
      const listed = due.filter(isListed);
      const several = new Set(listed.map(({ watch }) => watch.id)).size > 1;
      const single = new Map<string, Waiter[]>();
      for (const waiter of due) {
        const { id } = waiter.watch;
        if (several && isListed(waiter)) continue;
        const same = single.get(id);
        if (same) same.push(waiter);
        else single.set(id, [waiter]);
      }
      const asked = [...single].slice(0, abreast);
      this.#allowance.count(asked.length);
      if (several) {
        this.#allowance.rest();
        void this.#look(listed, (deadline, look) => this.#list(deadline, look));
      }
      for (const [id, waiters] of asked) {
        void this.#look(waiters, async (deadline) => {
          const { data } = await this.#api.getJob(id, { deadline });
          this.#pages.jobWasGiven(this.#now);
          this.#tell([data]);
        });
      }
    }
    this.#rearm();
  }

  /** Makes one look for some who wait, and lets its failures end what they have to. */
  async #look(
    waiters: readonly Waiter[],
    work: (deadline: Deadline, look: Look) => Promise<void>,
  ): Promise<void> {
    const look = { waiters: new Set(waiters), controller: new AbortController() };
    this.#looks.add(look);
    const { clock } = this.#api.http.config;
    const deadline = new Deadline(clock, defaults.callTimeout, look.controller.signal);
    try {
      await work(deadline, look);
    } catch (error) {
      this.#fail(error, look);
    } finally {
      deadline.close();
      this.#looks.delete(look);
      this.#rearm();
    }
  }

  async #list(deadline: Deadline, look: Look): Promise<void> {
    let cursor: string | undefined;
    let poor = 0;
    for (;;) {
      if (this.#pages.isClosed) return;
      this.#allowance.count(1);
      const page = await this.#pages.page(cursor, deadline);
      if (page) {
        const before = look.waiters.size;
        this.#tell(page.jobs);
        for (const waiter of look.waiters) {
          if (!this.#waiters.has(waiter)) look.waiters.delete(waiter);
        }
        const { size } = look.waiters;
        const shown = before - size;
        const next = page.next_cursor ?? undefined;
        if (size < worthPage) return this.#askSingly(look, "once");
        // Pages that show little cost at most a ninth of what asking for the rest by id does.
        if (shown < worthPage && size < worthPage ** 2 * (poor += 1)) break;
        if (next === undefined || next === cursor) break;
        cursor = next;
      }
    }
    this.#askSingly(look, "always");
  }

  /** Has those who wait for a look that did not show their job ask for it by its id. */
  #askSingly({ waiters }: Look, byId: PendingWait["byId"]): void {
    const now = this.#now;
    for (const waiter of waiters) {
      const { watch } = waiter;
      const lags = isWithinReadLag(watch, now);
      watch.byId = lags ? undefined : byId;
      waiter.due = lags ? now + failureDelay : now;
    }
  }

  /** Gives everybody who waits for one of these jobs what is known of it now. */
  #tell(jobs: readonly JobData[]): void {
    const now = this.#now;
    const shown = new Map(jobs.map((data) => [data.job_id, data]));
    const learned = new Set<string>();
    for (const waiter of this.#waiters) {
      const { watch } = waiter;
      const data = shown.get(watch.id);
      if (!data) continue;
      const created = serviceTime(data.created_at);
      if (watch.unseen && watch.looks === 0 && created <= now) watch.since = created;
      if (isFinal(data.status) && !learned.has(watch.id)) this.#learn(watch, data);
      learned.add(watch.id);
      watch.looks += 1;
      if (watch.byId === "once") watch.byId = undefined;
      watch.failure = undefined;
      this.#waiters.delete(waiter);
      waiter.resolve(data);
    }
  }

  #learn({ kinds, since, unseen }: PendingWait, data: JobData): void {
    const { duration_ms: told, completed_at, created_at, cost_credits: cost } = data;
    const between = serviceTime(completed_at) - serviceTime(created_at);
    // What was taken up unseen may have ended long before it was looked at.
    const duration = told ?? (between > 0 || unseen ? between : this.#now - since);
    this.runTimes.learn([...kinds, ...(cost ? [String(cost)] : [])], duration);
  }

  #fail(error: unknown, look: Look): void {
    // Those who wait for it have left, and nobody hears of it.
    if (look.controller.signal.aborted) return;
    const all = isBranded(error) && (error.code === "unauthorized" || error.code === "forbidden");
    let probes = 0;
    for (const waiter of all ? [...this.#waiters] : look.waiters) {
      if (!this.#waiters.has(waiter)) continue;
      const now = this.#now;
      if (!isBranded(error) || !isTransient(error, waiter.watch, now)) {
        waiter.reject(copyOf(error));
      } else {
        waiter.watch.failure = error;
        waiter.due = now + delayAfter(error);
        // Whether jobs are given while the list is not is seen by one of them.
        if (this.#pages.fails && (probes += 1) === 1) waiter.watch.byId ??= "once";
      }
    }
  }
}
