import type { SubmissionFacts } from "../http/with-key.ts";
import type { Clock } from "../system/timers.ts";
import { milliseconds, type Duration } from "../system/duration.ts";
import { host } from "../system/host.ts";
import {
  journalSubmission,
  openEntry,
  type JournalEntry,
  type OpenEntry,
} from "./journal-entry.ts";
import { maskKey } from "./masking.ts";
import { nearMisses } from "./near-misses.ts";
import { parseRequestPattern, pathMatcher, pathProblem } from "./request-pattern.ts";

/** Filter of the journal's entries. */
export interface JournalFilter {
  method?: string | undefined;
  /** Path without its query; a star matches one or more characters up to the next slash. */
  path?: string | undefined;
  /** Key, whole or masked as in the journal. Keys with the same last four characters match alike. */
  apiKey?: string | undefined;
  /** Earliest time of a request, in milliseconds since 1970 of the server's clock. */
  since?: number | undefined;
}

/** Options of `mock.journal.waitFor`. */
export interface WaitForOptions extends Pick<JournalFilter, "apiKey" | "since"> {
  /**
   * Number of requests to wait for, including earlier ones.
   * @default 1
   */
  count?: number | undefined;
  /**
   * Maximum wait, in the machine's time, whatever the server's clock does.
   * @default "5s"
   */
  timeout?: Duration | undefined;
  /**
   * State in which a request counts. On a manual clock, a synchronous submission completes only when time advances.
   * @default "completed"
   */
  until?: "completed" | "arrived" | undefined;
}

/** Error of a wait that timed out. */
export class WaitTimeout extends Error {
  override readonly name = "WaitTimeout";
}

/** State of the journal in a snapshot. */
export interface JournalState {
  readonly dropped: number;
  readonly entries: readonly JournalEntry[];
}

/** Requests to a server and the status of their responses, oldest first. */
export class Journal {
  readonly #clock: Pick<Clock, "now">;
  readonly #limit: number;
  readonly #open = new WeakMap<Request, OpenEntry>();
  #entries: OpenEntry[] = [];
  #deleted = 0;
  #change = Promise.withResolvers<void>();
  #closeReason: Error | undefined;

  constructor(clock: Pick<Clock, "now">, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Number of entries that were dropped beyond the setting `journalLimit`. */
  get dropped(): number {
    return this.#deleted + Math.max(0, this.#entries.length - this.#limit);
  }

  /**
   * Returns requests, oldest first.
   *
   * @throws RangeError for an invalid path.
   */
  entries(filter: JournalFilter = {}): readonly JournalEntry[] {
    return this.#kept().filter(entryFilter(filter)).map(copy);
  }

  /**
   * Waits for requests such as `"POST /api/v1/tryon"` or `"GET /api/v1/tryon/*"`.
   *
   * @returns the requests, oldest first.
   * @throws RangeError or TypeError for an invalid pattern or option.
   * @throws WaitTimeout after the timeout, with the number of requests that matched and the nearest others.
   * @example
   * ```ts
   * const requests = await mock.journal.waitFor("POST /api/v1/tryon", { count: 2 });
   * ```
   */
  async waitFor(on: string, options: WaitForOptions = {}): Promise<readonly JournalEntry[]> {
    const pattern = parseRequestPattern("waitFor", on);
    const { count = 1, until = "completed", apiKey, since } = options;
    const timeout = milliseconds(options.timeout ?? "5s");
    if (!Number.isInteger(count) || count < 1) {
      throw new RangeError(`count has to be a whole number from 1 up; got ${count}.`);
    }
    const passes = entryFilter({ apiKey, since });
    const isMatch = (entry: JournalEntry): boolean =>
      pattern.matches(entry.method, entry.path) &&
      (until === "arrived" || entry.durationMs !== null) &&
      passes(entry);
    const matches = (): readonly OpenEntry[] => this.#kept().filter(isMatch);
    const timeoutError = (): Error => {
      const others = this.#kept().filter((entry) => !isMatch(entry));
      const summary = `${matches().length} of ${count} requests of ${on} ${until} within ${timeout} ms.`;
      return new WaitTimeout(`${summary} ${nearMisses(pattern, others)}`);
    };
    await this.#waitUntil(() => matches().length >= count, timeout, timeoutError);
    return matches().map(copy);
  }

  /** Adds an entry for a request. */
  begin(request: Request): void {
    const entry = openEntry(request, this.#clock.now());
    this.#open.set(request, entry);
    this.#entries.push(entry);
    // Dropping one entry at a time would move all the others each time.
    if (this.#entries.length >= 2 * this.#limit) {
      this.#deleted += this.#entries.length - this.#limit;
      this.#entries = this.#kept();
    }
    this.#changed();
  }

  /** Adds facts to the entry of a request. */
  note(request: Request, { fields, ...facts }: SubmissionFacts & Partial<JournalEntry>): void {
    const entry = this.#open.get(request);
    if (entry === undefined) return;
    Object.assign(entry, facts, fields && { submission: journalSubmission(fields) });
  }

  /** Notes the status of the response, or null for a broken connection. */
  end(request: Request, status: number | null): void {
    const entry = this.#open.get(request);
    if (entry === undefined) return;
    entry.status = status;
    entry.durationMs = this.#clock.now() - entry.at;
    this.#changed();
  }

  reset(): void {
    this.#entries = [];
    this.#deleted = 0;
  }

  snapshot(): JournalState {
    return { dropped: this.dropped, entries: this.entries() };
  }

  restore(state: JournalState): void {
    this.#entries = state.entries.map(copy);
    this.#deleted = state.dropped;
    this.#changed();
  }

  /** Rejects every wait. */
  close(reason: Error): void {
    this.#closeReason = reason;
    this.#changed();
  }

  #kept(): OpenEntry[] {
    return this.#entries.slice(-this.#limit);
  }

  /** Lets every wait check its condition. */
  #changed(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  async #waitUntil(isDone: () => boolean, timeout: number, timeoutError: () => Error) {
    let isOver = false;
    const timer = host.setTimeout(() => {
      isOver = true;
      this.#changed();
    }, timeout);
    try {
      while (!isDone()) {
        if (this.#closeReason !== undefined) throw this.#closeReason;
        if (isOver) throw timeoutError();
        await this.#change.promise;
      }
    } finally {
      host.clearTimeout(timer);
    }
  }
}

/**
 * Journal of a server.
 *
 * @interface
 */
export type MockJournal = Pick<Journal, "entries" | "dropped" | "waitFor">;

function entryFilter({
  method,
  path = "*",
  apiKey,
  since = Number.NEGATIVE_INFINITY,
}: JournalFilter): (entry: JournalEntry) => boolean {
  const problem = pathProblem(path);
  if (problem !== undefined) throw new RangeError(`path: ${JSON.stringify(path)} ${problem}`);
  const matchesPath = pathMatcher(path);
  const key = apiKey === undefined ? undefined : maskKey(apiKey);
  return (entry) =>
    (method === undefined || entry.method === method) &&
    matchesPath(entry.path) &&
    (key === undefined || entry.apiKey === key) &&
    entry.at >= since;
}

function copy(entry: JournalEntry): OpenEntry {
  return structuredClone(entry);
}
