import { ConfigError, InputError } from "@tryon/client";
import type { JournalEntry, JournalState, SharedJournal } from "@tryon/client/batch";

import { readDuration } from "../config/resolve-config.ts";
import { checkOptions } from "../proxy/resolve-options.ts";
import type { Duration } from "../types/call-options.ts";

/** Options of every shared journal. */
export interface SharedJournalOptions {
  /**
   * Duration of a claim on an item, in milliseconds or as a string such as `"30s"`. A running batch renews its claims. If
   * its process is killed, another process takes over its items after this time.
   *
   * @default "30s"
   */
  readonly claimTtl?: Duration | undefined;
}

/** Journal in a database. */
export interface DatabaseJournal extends SharedJournal {
  /**
   * Deletes the journal, and returns the number of its rows or fields. In SQL, it deletes up to 1,000 rows at a time, and
   * waits between two parts. Nothing else deletes a journal, and it never expires.
   *
   * Call it when the batch is done in all processes, and the service has forgotten its keys: a batch with this name then
   * submits and pays for all its items again.
   *
   * @throws `invalid_config` if a batch is working on an item. Then nothing is deleted.
   */
  delete(): Promise<number>;
}

/** Error of a journal that is in use. */
export function inUseError(name: string): ConfigError {
  return storeError(
    `The journal ${name} was not deleted: a batch is working on an item.`,
    "Wait until the batch has ended in each process, or until the claims of a killed process end.",
  );
}

/** Checks name and options of a journal. Returns the duration of a claim in whole milliseconds. */
export function readClaimTtl(
  caller: string,
  name: string,
  options: SharedJournalOptions,
  flag: string,
): number {
  if (typeof name !== "string" || !/^[\w.:-]{1,100}$/.test(name)) {
    const problem = 'must be 1 to 100 letters, digits and ".", "_", ":" or "-"';
    throw new InputError("name", problem, { hint: "Use another name." });
  }
  const ttl = Math.ceil(readDuration(options.claimTtl ?? "30s"));
  checkOptions<Record<string, unknown>>(
    caller,
    { ...options },
    {
      claimTtl: [
        ttl > 0 && ttl < Infinity,
        "must be a positive number of milliseconds",
        'Use a number or a string such as "30s".',
      ],
      [flag]: checkFlag(Reflect.get(options, flag)),
    },
  );
  return ttl;
}

export function checkFlag(value: unknown) {
  const isFlag = value === undefined || typeof value === "boolean";
  return [isFlag, "must be true or false", "Omit the option for its default."] as const;
}

export function withoutSignedUrl(entry: JournalEntry): JournalEntry {
  const { job } = entry;
  if (!job?.data) return entry;
  const { result_url: _url, ...data } = job.data;
  return { ...entry, job: { ...job, data } };
}

/** Start of the text of an entry with credits. Their number follows. */
export const creditsPrefix = '{"credits":';

/** Returns the text of an entry. Every character that a database can reject is escaped. */
export function textOf(entry: JournalEntry): string {
  const { credits, ...rest } = withoutSignedUrl(entry);
  // Statements read the credits from the start of the text.
  return JSON.stringify({ credits, ...rest });
}

/** Returns the limit as databases take it: no whole number of credits is between it and the given one. */
export function wholeLimit(maxCredits: number): number {
  return Math.floor(Math.min(maxCredits, Number.MAX_SAFE_INTEGER));
}

export function readText(text: unknown): JournalEntry | undefined {
  return typeof text === "string" && text !== "" ? (JSON.parse(text) as JournalEntry) : undefined;
}

/** Returns an id as every database can store it. NUL and lone surrogates are escaped, and each id has its own text. */
export function columnOf(id: string): string {
  return JSON.stringify(id).slice(1, -1);
}

/** Returns the state beside `succeeded` whose items cannot be claimed. */
export function endOf(isRetry: boolean): JournalState {
  return isRetry ? "succeeded" : "failed";
}

export function hasEnded(state: JournalState | undefined, isRetry: boolean): boolean {
  return state === "succeeded" || state === endOf(isRetry);
}

export function storeError(message: string, hint: string): ConfigError {
  return new ConfigError("invalid_config", message, hint);
}
