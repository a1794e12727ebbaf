import type { OptionValue } from "../check.ts";

/** What each value of each open point means for whoever calls the deployment. */
export const meanings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  checkOrder: {
    "auth-first": "the key is looked at before the body",
    "body-first": "a body that is not JSON is refused before the key is looked at",
  },
  malformedBody: {
    422: "a body that is not a JSON object is a 422",
    400: "a body that is not a JSON object is a 400",
  },
  echoInput: {
    cut: "a validation error repeats at most 64 characters of the refused value",
    full: "a validation error repeats the whole refused value",
  },
  oversize: {
    400: "a body over 64 MiB is a 400 with JSON",
    413: "a body over 64 MiB is a 413 with HTML, as from a proxy",
  },
  jsonTypes: {
    strict: '"true" is no boolean and "7" no integer',
    lax: '"true" and 1 pass for a boolean, "7" for an integer',
  },
  replayHeader: {
    true: "a replayed answer carries Idempotent-Replayed: true",
    false: "a replayed answer cannot be told from the first",
  },
  concurrentTwin: {
    join: "the same call at the same time waits for the first one's answer",
    409: "the same call at the same time is a 409: wait, and send it again",
  },
  refund: {
    none: "a failed job keeps its credits",
    failed: "a failed job gives its credits back",
    "failed-except-content-blocked": "a failed job gives its credits back, but not a blocked one",
  },
  rateHeaders: {
    all: "every answer carries X-RateLimit-*",
    "429-only": "only a 429 carries X-RateLimit-*",
    none: "no answer carries X-RateLimit-*: only Retry-After helps",
  },
  resetUnit: {
    epoch: "X-RateLimit-Reset is a point in time",
    delta: "X-RateLimit-Reset is the seconds until then",
  },
  retryAfterFormat: {
    seconds: "Retry-After is a number of seconds",
    date: "Retry-After is an HTTP date",
  },
  reportQueued: {
    false: "a job that waits for its turn is shown as running",
    true: "a job that waits for its turn is shown as queued",
  },
  syncCut: {
    off: "a held call is answered by the service itself",
    30: "a proxy ends a held call after 30 s with 504 and HTML, and the work goes on",
  },
  maxLimit: {
    100: "a page of the list has up to 100 jobs",
    50: "a page of the list has up to 50 jobs",
  },
  filterName: {
    both: "the list is filtered by status and by status_filter",
    status_filter: "the list is filtered by status_filter alone; status does nothing",
    status: "the list is filtered by status alone; status_filter does nothing",
  },
  readLag: {
    0: "a job can be read at once",
    800: "a fresh job may be a 404 for a moment, as on replicas",
  },
  sparseSubmit: {
    false: "the answer to a submission has every field of a job",
    true: "the answer to a submission has its documented fields alone, without the cost",
  },
  inventSeed: {
    false: "a job without a seed has none",
    true: "a job without a seed is given one",
  },
  timeFormat: {
    Z: "times end in Z",
    offset: "times end in +00:00",
    naive: "times have no zone; they are UTC",
  },
  expiredStatus: {
    403: "a result address that has expired, or was changed, is a 403",
    400: "a result address that has expired, or was changed, is a 400",
  },
  resultsOrigin: {
    same: "results come from the address of the service",
    other: "results come from another address: allow it, and send it no key",
  },
  slashRedirect: {
    false: "an address with a trailing slash is a 404",
    true: "an address with a trailing slash is a 307 to the one without it",
  },
  webhookBody: {
    same: "each attempt of a webhook has the same bytes",
    resigned: "each attempt of a webhook has a freshly signed result_url",
  },
  purchaseRepeat: {
    replay: "the same purchase again gets the first answer",
    409: "the same purchase again is a 409",
  },
};

/** What a value means, or undefined for one that nobody knows. */
export function meaningOf(option: string, value: OptionValue): string | undefined {
  return meanings[option]?.[String(value)];
}
