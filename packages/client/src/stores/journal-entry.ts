import {
  accepting,
  duration,
  OptionsError,
  readOptions,
  type Rules,
  type Values,
} from "@tryon/command-line/options";
import { ConfigError, InputError } from "@tryon/client";
import type { JournalEntry, JournalState } from "@tryon/client/batch";

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

const time = duration();

/** Rule of a claim's duration, in whole milliseconds when it is read. */
export const claimTtlRule = {
  ...time,
  read: (given: unknown, name: string) => Math.ceil(time.read(given, name) ?? 0) || undefined,
  fallback: 30_000,
};

const nameRule = accepting<string>(
  '1 to 100 letters, digits and ".", "_", ":" or "-"',
  (given) => typeof given === "string" && /^[\w.:-]{1,100}$/.test(given),
);

export function checkName(name: string): void {
  readStoreOptions("the journal", { name }, { name: { ...nameRule, isRequired: true } });
}

export function readStoreOptions<const All extends Rules>(
  caller: string,
  options: object,
  rules: All,
): Values<All> {
  try {
    return readOptions(`an option of ${caller}`, options, rules);
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    const { field, problem, hint = "" } = error;
    throw new InputError(field, problem, { hint });
  }
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
