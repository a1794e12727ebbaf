import type { ItemClaim, JournalEntry } from "./journal.ts";

const states = /^(sending|submitted|succeeded|failed|refused)$/;

/** Returns the entry that a journal has returned. Throws for any other value: a paid item must not pass as a new one. */
export function checkEntry(method: string, value: unknown): JournalEntry {
  const entry: Partial<Record<keyof JournalEntry, unknown>> = Object(value);
  const { state, idempotencyKey, digest, sentAt, failedJobs = [] } = entry;
  const isEntry =
    states.test(String(state)) &&
    typeof idempotencyKey === "string" &&
    typeof digest === "string" &&
    Number.isFinite(sentAt) &&
    Array.isArray(failedJobs);
  // The batch checks the job when it uses it.
  if (isEntry) return value as JournalEntry;
  throw wrongResult(method, value);
}

export function checkOptionalEntry(method: string, value: unknown): JournalEntry | undefined {
  return value === undefined || value === null ? undefined : checkEntry(method, value);
}

/** Returns the result of a claim. Throws for any other value: an item of another process must not pass as claimed. */
export function checkClaim(value: unknown): ItemClaim {
  const claim: Partial<Record<keyof ItemClaim, unknown>> = Object(value);
  const { state, now: date } = claim;
  const entry = checkOptionalEntry("claim", claim.entry);
  const isDate = date === undefined || Number.isFinite(date);
  const now = date === undefined ? date : Number(date);
  if ((state === "claimed" || state === "held") && isDate) return { state, entry, now };
  if (state === "ended" && entry && /^(succeeded|failed)$/.test(entry.state)) {
    return { state, entry };
  }
  throw wrongResult("claim", value);
}

export function checkRefused(value: unknown): ItemClaim {
  const claim = checkClaim(value);
  if (claim.state !== "claimed") return claim;
  throw wrongResult("refusedClaims", value);
}

export const isKept = (value: unknown) => typeof value === "boolean";
export const isKeptOrFull = (value: unknown) => value === "full" || isKept(value);
/** Returns true for credits, or milliseconds. */
export const isNumber = (value: unknown): value is number => Number.isFinite(value);

/** Returns what a journal has returned. Throws for a value of another kind. */
export function checkResult<Result>(
  method: string,
  value: unknown,
  isResult: (value: unknown) => value is Result,
): Result {
  if (isResult(value)) return value;
  throw wrongResult(method, value);
}

/** Creates an error without the content of the value, which can be large. */
function wrongResult(method: string, value: unknown): TypeError {
  return new TypeError(
    `The method ${method} of the journal returned a wrong value (${typeof value}). See its type.`,
  );
}
