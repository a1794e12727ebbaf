/** Maximum `Retry-After` that the client waits for, in milliseconds. A longer one ends the call at once. */
export const maxRetryAfter = 60_000;

export function isRetryable(status: number): boolean {
  return /408|429|50[0234]|52[0-4]/.test(String(status));
}

/**
 * Returns the delay before a retry, in whole milliseconds: full jitter over min(8 s, 0.5 s · 2ⁿ) for the n-th retry, and at least
 * the delay that the service requests.
 */
export function retryDelay(
  earlier: number,
  retryAfter: number | undefined,
  random: () => number,
): number {
  return Math.ceil(Math.max(random() * Math.min(8_000, 500 * 2 ** earlier), retryAfter ?? 0));
}

/** Smallest number that is a date in seconds since 1970, not a number of seconds to wait. */
const firstDate = 1e9;

/** Maximum delay that a header can mean, in milliseconds. A longer one is a mistake, such as a date in milliseconds. */
const maxHeaderDelay = 86_400_000;

/**
 * Returns the delay in a header, in milliseconds. The header has seconds, an HTTP date (RFC 9110, 5.6.7), or a date in seconds
 * since 1970. Dates are relative to the `Date` header of the response, so that a wrong local clock does not matter. If a
 * proxy has added a second value, the longer delay applies. Returns undefined for a delay of more than a day.
 */
export function delayOf(
  headers: Pick<Headers, "get">,
  name: string,
  now: number,
): number | undefined {
  const value = headers.get(name);
  // Most responses have no such header, and the rest takes time.
  if (value === null) return undefined;
  const serverNow = httpDate(String(headers.get("date"))) || now;
  const delays = value.split(/(?<=\d|GMT)\s*,\s*/).map((text) => {
    const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (seconds < firstDate) return seconds * 1_000;
    return Math.max(0, (seconds * 1_000 || httpDate(text)) - serverNow);
  });
  const delay = Math.max(...delays);
  return delay <= maxHeaderDelay ? delay : undefined;
}

/** Parses an HTTP date, which begins with the name of a day. `Date.parse` alone accepts "-5" as a year. */
function httpDate(text: string): number {
  // One of the three forms of RFC 9110 names no time zone.
  return /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text.replace(/( GMT)?$/, " GMT")) : Number.NaN;
}

export function requestedDelay(
  { status, headers }: { readonly status: number; readonly headers: Pick<Headers, "get"> },
  now: number,
): number | undefined {
  const named = delayOf(headers, "retry-after", now);
  return named ?? (status === 429 ? delayOf(headers, "x-ratelimit-reset", now) : undefined);
}
