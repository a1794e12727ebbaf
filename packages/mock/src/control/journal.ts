import {
  duration,
  number,
  oneOf,
  OptionsError,
  readOptions,
  show,
  string,
  wholeNumber,
  type Rule,
} from "@tryon/shared/options";

import type { HttpRequest, HttpResponse } from "../http/message.ts";
import type { RequestFacts } from "../http/with-key.ts";
import type { Clock } from "../system/timers.ts";
import type { Duration } from "../system/duration.ts";
import { host } from "../system/host.ts";
import {
  journalSubmission,
  openEntry,
  type JournalEntry,
  type OpenEntry,
} from "./journal-entry.ts";
import { Exchange, type FaultMiss } from "./exchange.ts";
import { maskKey } from "./masking.ts";
import { describeNearest, nearMisses } from "./near-misses.ts";
import {
  parseRequestPattern,
  pathMatcher,
  pathProblem,
  type RequestPattern,
} from "./request-pattern.ts";

/** Filter of the journal's entries. */
export interface JournalFilter {
  /** HTTP method in capitals, such as `POST`. */
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

const filterRules = {
  method: string(),
  path: { expected: "a path", read: readPath },
  apiKey: string(),
  since: number(-Infinity),
} satisfies Record<keyof JournalFilter, Rule>;

const waitForRules = {
  apiKey: string(),
  since: number(-Infinity),
  count: { ...wholeNumber(1), fallback: 1 },
  timeout: { ...duration(0), fallback: 5_000 },
  until: { ...oneOf("completed", "arrived"), fallback: "completed" },
} satisfies Record<keyof WaitForOptions, Rule>;

function readPath(given: unknown, name: string): string | undefined {
  if (typeof given !== "string") return undefined;
  const problem = pathProblem(given);
  if (problem === undefined) return given;
  throw new OptionsError(name, `${show(given)} ${problem}`);
}

const maxExchanges = 200;

const maxNearest = 500;

export class WaitTimeout extends Error {
  override readonly name = "WaitTimeout";
}

interface ControlFacts {
  readonly faultIds?: readonly string[];
  readonly faultMisses?: readonly FaultMiss[];
}

interface OpenRequest {
  readonly entry: OpenEntry;
  readonly exchange: Exchange;
  readonly start: number;
}

export interface JournalState {
  readonly dropped: number;
  readonly entries: readonly JournalEntry[];
}

/** Requests to a server and the status of their responses, oldest first. */
export class Journal {
  readonly #clock: Pick<Clock, "now" | "monotonic">;
  readonly #limit: number;
  /** Exchanges of the newest requests, each at the number of its request modulo `maxExchanges`. */
  #exchanges: (Pick<OpenRequest, "entry" | "exchange"> | undefined)[] = [];
  readonly #listeners = new Set<(entry: JournalEntry) => void>();
  #entries: OpenEntry[] = [];
  #deleted = 0;
  #change: PromiseWithResolvers<void> | undefined;
  #closeReason: Error | undefined;

  constructor(clock: Pick<Clock, "now" | "monotonic">, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  get dropped(): number {
    return this.#deleted + Math.max(0, this.#entries.length - this.#limit);
  }

  /**
   * Returns requests, oldest first.
   *
   * @throws TypeError for an unknown or invalid field.
   */
  entries(filter: JournalFilter = {}): readonly JournalEntry[] {
    const given = readOptions("a field of the filter", filter, filterRules);
    return this.#kept().filter(entryFilter(given)).map(copy);
  }

  /**
   * Waits for requests such as `"POST /api/v1/tryon"` or `"GET /api/v1/tryon/*"`.
   *
   * @returns the requests, oldest first.
   * @throws TypeError for an invalid pattern or option.
   * @throws WaitTimeout after the timeout, with the number of requests that matched and the nearest others.
   * @example
   * ```ts
   * const requests = await mock.journal.waitFor("POST /api/v1/tryon", { count: 2 });
   * ```
   */
  async waitFor(on: string, options: WaitForOptions = {}): Promise<readonly JournalEntry[]> {
    const given = readOptions("an option of waitFor", options, waitForRules);
    const { count, timeout, until, ...filter } = given;
    const pattern = parseRequestPattern("waitFor", on);
    const passes = entryFilter(filter);
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

  /**
   * Calls a function for each completed request, also after a reset.
   *
   * @returns a function that ends the calls.
   * @example
   * ```ts
   * mock.journal.subscribe(({ method, path, status }) => console.log(method, path, status));
   * ```
   */
  subscribe(listener: (entry: JournalEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  latest(passes: (entry: JournalEntry) => boolean, max: number) {
    const entries = this.#kept().filter(passes);
    return { total: entries.length, entries: entries.slice(-max).toReversed().map(copy) };
  }

  exchange(id: string): { entry: JournalEntry; exchange: Exchange } | undefined {
    const found = this.#exchanges.find((each) => each?.entry.id === id);
    return found && { entry: copy(found.entry), exchange: found.exchange };
  }

  nearest(pattern: RequestPattern, max: number): readonly string[] {
    const nearest = describeNearest(pattern, this.#kept().slice(-maxNearest));
    return nearest.flatMap(({ line, nearness }) => (nearness > 0 ? line : [])).slice(0, max);
  }

  begin(request: HttpRequest): void {
    const place = this.#deleted + this.#entries.length + 1;
    const entry = openEntry(`req_${place}`, request, this.#clock.now());
    const exchange = new Exchange(request);
    const open = { entry, exchange, start: this.#clock.monotonic() };
    request.journaled = open;
    this.#exchanges[place % maxExchanges] = open;
    this.#entries.push(entry);
    // Dropping one entry at a time would move all the others each time.
    if (this.#entries.length >= 2 * this.#limit) {
      this.#deleted += this.#entries.length - this.#limit;
      this.#entries = this.#kept();
    }
    this.#changed();
  }

  note(
    request: HttpRequest,
    { fields, body, isShort, faultMisses, ...facts }: RequestFacts & ControlFacts,
  ): void {
    const { entry, exchange } = openOf(request) ?? {};
    if (entry === undefined || exchange === undefined) return;
    if (body !== undefined) exchange.noteBody(body, isShort === true);
    if (faultMisses !== undefined) exchange.faultMisses = faultMisses;
    Object.assign(entry, facts, fields && { submission: journalSubmission(fields) });
  }

  /** Notes the response, or null for a broken connection. */
  end(request: HttpRequest, response: HttpResponse | null): void {
    const open = openOf(request);
    if (open === undefined) return;
    const { entry, exchange, start } = open;
    if (response !== null) {
      entry.status = response.status;
      entry.refusal = exchange.noteResponse(response);
    }
    entry.durationMs = Math.round(this.#clock.monotonic() - start);
    this.#changed();
    for (const listener of this.#listeners) {
      try {
        listener(copy(entry));
      } catch (error) {
        // An error of the listener must not become one of the request.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  reset(): void {
    this.#entries = [];
    this.#deleted = 0;
    this.#exchanges = [];
  }

  snapshot(): JournalState {
    return { dropped: this.dropped, entries: this.entries() };
  }

  restore(state: JournalState): void {
    this.#entries = state.entries.map(copy);
    this.#deleted = state.dropped;
    // The ids after this state can be other requests.
    this.#exchanges = [];
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

  #changed(): void {
    this.#change?.resolve();
    this.#change = undefined;
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
        await (this.#change ??= Promise.withResolvers()).promise;
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
export type MockJournal = Pick<Journal, "entries" | "waitFor" | "subscribe"> & {
  /** Number of entries that were dropped beyond the setting `journalLimit`. */
  readonly dropped: number;
};

/** Returns undefined for a request from before the journal existed. */
function openOf({ journaled }: HttpRequest): OpenRequest | undefined {
  return journaled as OpenRequest | undefined;
}

const copy = (entry: JournalEntry): OpenEntry => host.copy(entry);

function entryFilter({
  method,
  path = "*",
  apiKey,
  since = Number.NEGATIVE_INFINITY,
}: JournalFilter): (entry: JournalEntry) => boolean {
  const matchesPath = pathMatcher(path);
  const key = apiKey === undefined ? undefined : maskKey(apiKey);
  return (entry) =>
    (method === undefined || entry.method === method) &&
    matchesPath(entry.path) &&
    (key === undefined || entry.apiKey === key) &&
    entry.at >= since;
}
