/** Meaning of each value of each open point for a caller. */
export const meanings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  checkOrder: {
    "auth-first": "the service checks the key before the body",
    "body-first": "the service refuses a body that is not JSON before it checks the key",
  },
  malformedBody: {
    422: "a body that is not a JSON object is a 422",
    400: "a body that is not a JSON object is a 400",
  },
  fieldStatus: {
    422: "a field that breaks its schema is a 422 that lists it",
    400: "a field that breaks its schema is a 400 with a text",
  },
  wrongContentType: {
    422: "a POST of another content type is refused as a malformed body is",
    415: "a POST of another content type is a 415",
  },
  metadataCount: {
    json: "a name, and the JSON text of a value, have up to 256 characters",
    text: "a name, and a text as a value, have up to 256 characters",
    keys: "a name has up to 256 characters, and a value any number",
  },
  garmentDataUris: {
    false: "a garment with the data: prefix is refused",
    true: "a garment may have the data: prefix",
  },
  discoveryKey: {
    false: "the discovery document needs no key",
    true: "the discovery document needs a key",
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
    strict: '"true" is not a boolean, and "7" not an integer',
    lax: '"true" and 1 pass for a boolean, "7" for an integer',
  },
  replayHeader: {
    true: "a replayed response has Idempotent-Replayed: true",
    false: "a replayed response looks like the first",
  },
  replayBody: {
    first: "a replay shows the job as in the first response",
    current: "a replay shows the job as it is now",
  },
  refusedKey: {
    free: "a refused call leaves its idempotency key free",
    kept: "a refused call keeps its idempotency key: another body is a 409",
  },
  concurrentTwin: {
    join: "the same call at the same time waits for the response to the first",
    409: "the same call at the same time is a 409: wait, and send it again",
  },
  refund: {
    none: "a failed job keeps its credits",
    failed: "a failed job gives its credits back",
    "failed-except-content-blocked": "a failed job gives its credits back, but not a blocked one",
  },
  rateHeaders: {
    all: "every response has X-RateLimit-*",
    "429-only": "only a 429 has X-RateLimit-*",
    none: "no response has X-RateLimit-*; use Retry-After",
  },
  resetUnit: {
    epoch: "X-RateLimit-Reset is a Unix time",
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
    off: "the service responds to synchronous requests itself",
    30: "a proxy ends a synchronous request after 30 s with 504 and HTML; the job continues",
  },
  maxLimit: {
    100: "a page of the list has up to 100 jobs",
    50: "a page of the list has up to 50 jobs",
  },
  limitBounds: {
    refuse: "a limit of 0 is refused",
    clamp: "a limit of 0, or a large one, is clamped",
  },
  unknownCursor: {
    400: "an unknown cursor is a 400",
    422: "an unknown cursor is a 422",
    empty: "an unknown cursor gets an empty page",
  },
  foreignJob: {
    404: "a job of another key is a 404",
    403: "a job of another key is a 403",
  },
  errorCodes: {
    generation_failed: "error_code is generation_failed for every failure",
    cause: "error_code is the cause of a failure, such as storage_failed",
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
    false: "the response to a submission has every field of a job",
    true: "the response to a submission has only its documented fields, without the cost",
  },
  inventSeed: {
    false: "a job without a seed has none",
    true: "a job without a seed gets one",
  },
  timeFormat: {
    Z: "times end in Z",
    offset: "times end in +00:00",
    naive: "times have no zone; they are UTC",
  },
  expiredStatus: {
    403: "a result URL that has expired, or was changed, is a 403",
    400: "a result URL that has expired, or was changed, is a 400",
  },
  resultsOrigin: {
    same: "results have the origin of the service",
    other: "results have another origin: allow it, and send it no key",
  },
  slashRedirect: {
    false: "a path with a trailing slash is a 404",
    true: "a path with a trailing slash is a 307 to the one without it",
  },
  webhookBody: {
    same: "each attempt of a webhook has the same bytes",
    resigned: "each attempt of a webhook has a freshly signed result_url",
  },
  purchaseRepeat: {
    replay: "a repeated purchase gets the first response",
    409: "a repeated purchase is a 409",
  },
  repeatCredits: {
    pack: "a repeated purchase reports the credits of the first one",
    0: "a repeated purchase reports 0 credits",
  },
  testKeyCredits: {
    pack: "a purchase with a test key reports the credits of the pack",
    0: "a purchase with a test key reports 0 credits",
  },
  unknownPack: {
    400: "an unknown pack is a 400",
    422: "an unknown pack is a 422",
  },
  totalCalls: {
    admitted: "total_calls counts every request within the rate limit",
    accepted: "total_calls counts only requests with a 2xx response",
  },
  rateWindow: {
    fixed: "the rate limit counts in minutes that follow each other",
    sliding: "the rate limit counts the last minute at any time",
  },
};
