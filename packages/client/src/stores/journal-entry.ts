import { ConfigError } from "@tryon/client";
import type { JournalEntry, JournalState } from "@tryon/client/batch";

import { readDuration, unknownName } from "../config/resolve-config.ts";
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

const maxNameLength = 100;

/** Checks the name and the options of a journal, and returns the duration of a claim in whole milliseconds. */
export function readOptions<Options extends SharedJournalOptions>(
  name: string,
  options: Options,
  names: Readonly<Record<keyof Options, true>>,
): number {
  const unknown = unknownName(options, names);
  if (unknown) throw storeError(`${unknown.name} is not an option of the journal.`, unknown.hint);
  const { claimTtl = "30s" } = options;
  if (typeof name !== "string" || !/^[\w.:-]+$/.test(name) || name.length > maxNameLength) {
    throw storeError(
      `The name of the journal, ${JSON.stringify(name)}, is invalid.`,
      `Use 1 to ${maxNameLength} letters, digits and ".", "_", ":" or "-".`,
    );
  }
  const ttl = Math.ceil(readDuration(claimTtl));
  if (ttl > 0 && ttl < Infinity) return ttl;
  throw storeError(
    "claimTtl must be a positive number of milliseconds.",
    'Use a number or a string such as "30s".',
  );
}

/** Returns the entry without the signed URL of the result. */
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

/** Parses the text of an entry that {@link textOf} wrote. */
export function readText(text: unknown): JournalEntry | undefined {
  return typeof text === "string" && text !== "" ? (JSON.parse(text) as JournalEntry) : undefined;
}

/** Returns an id as every database can store it. NUL and lone surrogates are escaped, and each id has its own text. */
export function columnOf(id: string): string {
  return JSON.stringify(id).slice(1, -1);
}

/** Returns true if an item needs no claim. */
export function hasEnded(state: JournalState | undefined): boolean {
  return state === "succeeded" || state === "failed";
}

/** Creates the error of a store that cannot be used. */
export function storeError(message: string, hint: string): ConfigError {
  return new ConfigError("invalid_config", message, hint);
}
