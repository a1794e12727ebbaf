import type { JournalEntry } from "./journal.ts";

/**
 * Decides how a batch continues an item after a crash, without paying twice: with a new submission, a repeated one, a search
 * of the list for its job, or a wait for its job. A pure function.
 *
 * @param entry - Last entry of the item, if there is one.
 * @param now - Date by the clock of the journal, in milliseconds since 1970.
 * @param window - Time after the first request in which the service knows the key, in milliseconds.
 */
export function resumeStep(entry: JournalEntry | undefined, now: number, window: number) {
  if (!entry || entry.state === "refused") return "send";
  if (entry.job) return "wait";
  const age = now - entry.sentAt;
  // A date in the future says nothing about the age.
  return age >= 0 && age <= window ? "resend" : "find";
}
