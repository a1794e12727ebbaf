/** Statuses that another attempt may turn into a good answer. */
const retryableStatuses = new Set([408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);

/** The longest pause that a service may ask for and get; for more, the call ends at once. In milliseconds. */
export const longestRetryAfter = 60_000;

const firstBackoff = 500;
const longestBackoff = 8_000;
const firstConflictPause = 1_000;
const longestConflictPause = 4_000;

export function isRetryable(status: number): boolean {
  return retryableStatuses.has(status);
}

/**
 * The pause before an attempt, in milliseconds: full jitter over min(8 s, 0.5 s · 2ⁿ), and never less than the service
 * asked for.
 *
 * @param failures - How many pauses came before this one.
 * @param retryAfter - What the service asked for, in milliseconds.
 */
export function retryDelay(
  failures: number,
  retryAfter: number | undefined,
  random: () => number,
): number {
  const backoff = random() * Math.min(longestBackoff, firstBackoff * 2 ** failures);
  return Math.max(backoff, retryAfter ?? 0);
}

/** The pause before asking again after a 409 for a submission that may still be worked on, in milliseconds. */
export function conflictDelay(
  conflicts: number,
  retryAfter: number | undefined,
  random: () => number,
): number {
  const ceiling = Math.min(longestConflictPause, firstConflictPause * 2 ** conflicts);
  return Math.max(ceiling * (0.5 + random() / 2), retryAfter ?? 0);
}

/** Larger than any number of seconds to wait, and smaller than a date in seconds since 1970. */
const firstDate = 1e9;

/**
 * How long a header says to wait, in milliseconds: it holds seconds, or a date as HTTP writes it or in seconds since 1970;
 * undefined when it is absent or none of these. A date is compared with the `Date` of the same answer, so that a wrong
 * clock on this side does no harm.
 */
export function pauseOf(headers: Headers, name: string, now: number): number | undefined {
  const text = headers.get(name)?.trim() ?? "";
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds < firstDate) return seconds * 1_000;
  const pause = (seconds * 1_000 || httpDate(text)) - (httpDate(headers.get("date")) || now);
  return Number.isNaN(pause) ? undefined : Math.max(0, pause);
}

/** HTTP dates begin with the name of a day; `Date.parse` alone would take "-5" for a year. */
function httpDate(text: string | null): number {
  return /^[A-Za-z]{3,9},? /.test(text ?? "") ? Date.parse(text ?? "") : Number.NaN;
}

/** How long an answer asks to wait before the request is sent again, in milliseconds. */
export function pauseAskedFor(
  { status, headers }: { readonly status: number; readonly headers: Headers },
  now: number,
): number | undefined {
  const named = pauseOf(headers, "retry-after", now);
  return named ?? (status === 429 ? pauseOf(headers, "x-ratelimit-reset", now) : undefined);
}
