import type { SubmissionFields } from "../service/submission.ts";
import type { Clock } from "../system/timers.ts";
import { milliseconds, type Duration } from "../system/duration.ts";
import { pathMatcher, pathProblem, readCallPattern, type CallPattern } from "./call-pattern.ts";
import {
  journalSubmission,
  openEntry,
  type JournalEntry,
  type OpenEntry,
} from "./journal-entry.ts";
import { maskKey } from "./masking.ts";
import { nearMisses } from "./near-misses.ts";
import { Waiters } from "./waiters.ts";

/** Which entries of the journal are meant; what is left out is open. */
export interface JournalFilter {
  method?: string | undefined;
  /** A path without its query; a star stands for one or more characters up to the next slash. */
  path?: string | undefined;
  /** A whole key, or one as the journal shows it. Keys that end alike are not told apart. */
  apiKey?: string | undefined;
  /** Only calls that came at this time or later, in milliseconds since 1970 of the server's clock. */
  since?: number | undefined;
}

/** How long and for what `mock.journal.waitFor` waits. */
export interface WaitForOptions extends Pick<JournalFilter, "apiKey" | "since"> {
  /**
   * How many calls have to be there, those before the waiting included.
   * @default 1
   */
  count?: number | undefined;
  /**
   * The longest wait, in the machine's time, whatever the server's clock does.
   * @default "5s"
   */
  timeout?: Duration | undefined;
  /**
   * Whether a call counts once it has been answered or as soon as it has come. A held submission on a manual clock is
   * answered only when time is moved.
   * @default "answered"
   */
  until?: "answered" | "arrived" | undefined;
}

/** The calls that were waited for have not come in time. */
export class WaitTimeout extends Error {
  override readonly name = "WaitTimeout";
}

/** Everything that the journal remembers, as plain data. */
export interface JournalState {
  readonly dropped: number;
  readonly entries: readonly JournalEntry[];
}

/** What calls came and how they were answered, oldest first. */
export class Journal {
  readonly #clock: Pick<Clock, "now">;
  readonly #limit: number;
  readonly #open = new WeakMap<Request, OpenEntry>();
  readonly #waiters = new Waiters();
  #entries: OpenEntry[] = [];
  #forgotten = 0;

  constructor(clock: Pick<Clock, "now">, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** How many entries were dropped because there were more than the setting `journalLimit`. */
  get dropped(): number {
    return this.#forgotten + Math.max(0, this.#entries.length - this.#limit);
  }

  /**
   * The calls that came, oldest first.
   *
   * @throws RangeError for a path that cannot be one.
   */
  entries(filter: JournalFilter = {}): readonly JournalEntry[] {
    const { method, path } = filter;
    const problem = path === undefined ? undefined : pathProblem(path);
    if (problem !== undefined) throw new RangeError(`path: ${JSON.stringify(path)} ${problem}`);
    const matches = path === undefined ? undefined : pathMatcher(path);
    const meant = callerAndTime(filter);
    return this.#kept()
      .filter(
        (entry) =>
          (method === undefined || entry.method === method) &&
          (matches === undefined || matches(entry.path)) &&
          meant(entry),
      )
      .map(copy);
  }

  /**
   * Waits until calls such as `"POST /api/v1/tryon"` or `"GET /api/v1/tryon/*"` have come.
   *
   * @returns the calls, oldest first.
   * @throws RangeError or TypeError for a pattern or an option that cannot be.
   * @throws WaitTimeout when the time is up; it says how many came and what came instead.
   * @example
   * ```ts
   * const calls = await mock.journal.waitFor("POST /api/v1/tryon", { count: 2 });
   * ```
   */
  async waitFor(on: string, options: WaitForOptions = {}): Promise<readonly JournalEntry[]> {
    const pattern = readCallPattern("waitFor", on);
    const { count = 1, until = "answered" } = options;
    const timeout = milliseconds(options.timeout ?? "5s");
    if (!Number.isInteger(count) || count < 1) {
      throw new RangeError(`count has to be a whole number from 1 up; got ${count}.`);
    }
    const meant = callerAndTime(options);
    const isFound = (entry: JournalEntry): boolean => fits(entry, pattern, until) && meant(entry);
    const found = (): readonly OpenEntry[] => this.#kept().filter(isFound);
    await this.#waiters.wait(
      () => found().length >= count,
      timeout,
      () => {
        const rest = this.#kept().filter((entry) => !isFound(entry));
        return new WaitTimeout(
          [
            `${found().length} of ${count} calls of ${on} were ${until} within ${timeout} ms.`,
            nearMisses(pattern, rest),
          ].join(" "),
        );
      },
    );
    return found().map(copy);
  }

  /** Notes that a call has come. */
  begin(request: Request): void {
    const entry = openEntry(request, this.#clock.now());
    this.#open.set(request, entry);
    this.#entries.push(entry);
    // Dropping one entry at a time would move all the others each time.
    if (this.#entries.length >= 2 * this.#limit) {
      this.#forgotten += this.#entries.length - this.#limit;
      this.#entries = this.#kept();
    }
    this.#waiters.check();
  }

  noteFaults(request: Request, faultIds: readonly string[]): void {
    this.#note(request, { faultIds });
  }

  noteSubmission(request: Request, fields: SubmissionFields): void {
    this.#note(request, { submission: journalSubmission(fields) });
  }

  noteJob(request: Request, jobId: string, replayed: boolean): void {
    this.#note(request, { jobId, replayed });
  }

  /** Notes the end of a call: the status of its answer, or null when there was none. */
  end(request: Request, status: number | null): void {
    const entry = this.#open.get(request);
    if (entry === undefined) return;
    entry.status = status;
    entry.durationMs = this.#clock.now() - entry.at;
    this.#waiters.check();
  }

  reset(): void {
    this.#entries = [];
    this.#forgotten = 0;
  }

  snapshot(): JournalState {
    return { dropped: this.dropped, entries: this.entries() };
  }

  restore(state: JournalState): void {
    this.#entries = state.entries.map(copy);
    this.#forgotten = state.dropped;
    this.#waiters.check();
  }

  /** Ends every wait. */
  close(reason: Error): void {
    this.#waiters.fail(reason);
  }

  #kept(): OpenEntry[] {
    return this.#entries.slice(-this.#limit);
  }

  #note(request: Request, facts: Partial<OpenEntry>): void {
    const entry = this.#open.get(request);
    if (entry !== undefined) Object.assign(entry, facts);
  }
}

/**
 * The journal of a server, as its users read it.
 *
 * @interface
 */
export type MockJournal = Pick<Journal, "entries" | "dropped" | "waitFor">;

function fits(entry: JournalEntry, pattern: CallPattern, until: "answered" | "arrived"): boolean {
  return (
    pattern.matches(entry.method, entry.path) && (until === "arrived" || entry.durationMs !== null)
  );
}

/** What says whether an entry is of the key and of the time that are meant. */
function callerAndTime({
  apiKey,
  since = Number.NEGATIVE_INFINITY,
}: Pick<JournalFilter, "apiKey" | "since">): (entry: JournalEntry) => boolean {
  const key = apiKey === undefined ? undefined : maskKey(apiKey);
  return (entry) => (key === undefined || entry.apiKey === key) && entry.at >= since;
}

function copy(entry: JournalEntry): OpenEntry {
  return structuredClone(entry);
}
