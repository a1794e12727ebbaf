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

export function withoutSignedUrl(entry: JournalEntry): JournalEntry {
  const { job } = entry;
  if (!job?.data) return entry;
  const { result_url: _url, ...data } = job.data;
  return { ...entry, job: { ...job, data } };
}

/** Returns the text of an entry. Every character that a database can reject is escaped. */
export function textOf(entry: JournalEntry): string {
  return JSON.stringify(withoutSignedUrl(entry));
}

export function readText(text: unknown): JournalEntry | undefined {
  return typeof text === "string" && text !== "" ? (JSON.parse(text) as JournalEntry) : undefined;
}

/** Returns an id as every database can store it. NUL and lone surrogates are escaped, and each id has its own text. */
export function columnOf(id: string): string {
  return JSON.stringify(id).slice(1, -1);
}

export function hasEnded(state: JournalState | undefined): boolean {
  return state === "succeeded" || state === "failed";
}

export function storeError(message: string, hint: string): ConfigError {
  return new ConfigError("invalid_config", message, hint);
}
