/** The longest pause that a service may ask for and get; for more, the call ends at once. In milliseconds. */
export const maxRetryAfter = 60_000;

/** Whether another attempt may turn an answer of that status into a good one. */
export function isRetryable(status: number): boolean {
  return /408|429|50[0234]|52[0-4]/.test(String(status));
}

type Delay = (earlier: number, retryAfter: number | undefined, random: () => number) => number;

/** Pauses that double up to the longest: by chance from a share of that on, and never less than the service asked for. */
function backoff(first: number, longest: number, share: number): Delay {
  return (earlier, retryAfter, random) => {
    const ceiling = Math.min(longest, first * 2 ** earlier);
    return Math.max(ceiling * (share + random() * (1 - share)), retryAfter ?? 0);
  };
}

/**
 * The pause before an attempt, in milliseconds: full jitter over min(8 s, 0.5 s · 2ⁿ). It takes how many pauses came
 * before this one, and what the service asked for.
 */
export const retryDelay = backoff(500, 8_000, 0);

/** The pause before asking again after a 409 for a submission that may still be worked on, in milliseconds. */
export const conflictDelay = backoff(1_000, 4_000, 0.5);

/** Larger than any number of seconds to wait, and smaller than a date in seconds since 1970. */
const firstDate = 1e9;

/**
 * How long a header says to wait, in milliseconds: it holds seconds, or a date as HTTP writes it or in seconds since 1970;
 * undefined when it is absent or none of these. A date is compared with the `Date` of the same answer, so that a wrong
 * clock on this side does no harm.
 */
export function delayOf(headers: Headers, name: string, now: number): number | undefined {
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
export function requestedDelay(
  { status, headers }: { readonly status: number; readonly headers: Headers },
  now: number,
): number | undefined {
  const named = delayOf(headers, "retry-after", now);
  return named ?? (status === 429 ? delayOf(headers, "x-ratelimit-reset", now) : undefined);
}
