import { defaults, maxSyncWait } from "../config/options.ts";
import type { Config } from "../config/resolve-config.ts";
import { isBranded } from "../errors/tryon-error.ts";
import type { Job, Recover } from "../types/job.ts";
import type { Purpose } from "../types/middleware.ts";
import { failureCode, isSyncCut, type AttemptLog, type Outcome } from "./attempt-log.ts";
import { abortable, type Deadline } from "./deadline.ts";
import type {
  HttpRequest,
  HttpResponse,
  Stage,
  Transport,
  TransportRequest,
} from "./http-request.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { isTruncated } from "./fetch-transport.ts";
import { isRetryable, maxRetryAfter, retryDelay } from "./retry-policy.ts";

/** Maximum time for retries after a 409 that the same submission may have caused, in milliseconds. */
const maxConflictTime = 120_000;
/** Minimum speed of an upload without progress events, in bytes per millisecond (1 Mbit/s). It sets the upload's time limit. */
const minUploadSpeed = 125;

/** Parts of a client that every request uses. */
export interface HttpContext {
  readonly config: Config;
  readonly rateLimiter: RateLimiter;
  readonly transport: Transport;
}

/** Call that a request belongs to: its limits, its attempts, and fields of its errors. */
export interface CallContext {
  /** Method and path, for logs and errors. */
  readonly name: string;
  /** Absent for any server but the service: the request gets no API key and is not rate limited. */
  readonly purpose?: Purpose | undefined;
  readonly deadline: Deadline;
  readonly attemptLog: AttemptLog;
  /** Called before each retry delay, in milliseconds. */
  readonly onRetry?: ((delay: number) => void) | undefined;
  /** Idempotency key of a submission, and the function that finds out its outcome. */
  readonly submission?: { readonly idempotencyKey: string; readonly recover: Recover } | undefined;
  readonly job?: Job | undefined;
  /** If true, the service responds when the job has ended, or after 90 seconds. */
  readonly sync?: boolean | undefined;
  /** If true, the request polls jobs that are waited for. It waits for the rate limit with any `onRateLimit`. */
  readonly isPoll?: boolean | undefined;
}

/**
 * Sends a request, and retries it until the response is final or no time or retry is left. Requests to the service wait
 * for the rate limit first. Throws only the caller's abort reason, and an error that a middleware threw before sending.
 *
 * A 429 delays all requests of the key by the delay that it requests, and its headers update the limit of `rateLimiter`.
 * After a lost response, the same submission is retried with the same key and body, until `idempotencyWindow` has passed.
 */
export async function sendWithRetries(
  { config, rateLimiter, transport }: HttpContext,
  request: HttpRequest,
  call: CallContext,
): Promise<Outcome> {
  const { deadline, attemptLog, purpose, name } = call;
  const { clock } = deadline;
  const isSubmission = purpose === "submit";
  const queue = purpose === "read" ? "read" : "submit";
  const log = (text: string): void => config.log("debug", `${name}: ${text}`);
  const isTooLate = (time: number): boolean =>
    isSubmission && attemptLog.isPast(config.idempotencyWindow, time);
  // A job can be paid for, and so can a submission or purchase that may have arrived.
  const mayBePaid = (): boolean =>
    !!call.isPoll || (purpose !== "read" && !!attemptLog.firstUncertain);
  const waits = (): boolean => config.onRateLimit === "wait" || !purpose || mayBePaid();
  let failures = 0;
  let hasRetriedStale = false;
  let conflictSince: number | undefined;
  for (let retries = 0; ; retries += 1) {
    let requestNumber = 0;
    if (purpose) {
      const wait = rateLimiter.delay(queue);
      if (wait > 0) log(`rate limit for ${Math.ceil(wait)} ms`);
      requestNumber = await rateLimiter.acquire(queue, deadline, waits());
      if (!requestNumber || isTooLate(clock.now())) {
        return { failure: "rate_limited", requestedDelay: rateLimiter.delay(queue) };
      }
    }
    const startedAt = clock.now();
    const wasUncertain = attemptLog.firstUncertain !== undefined;
    const count = attemptLog.attempts.length + 1;
    attemptLog.open += 1;
    const context = purpose && { attempt: count, purpose };
    const outcome = await attempt(transport, request, deadline, context);
    const now = clock.now();
    const { response } = outcome;
    const { retryable } = Object(response?.content) as { retryable?: unknown };
    // Only the proxy of this package responds so: the service refused the request.
    const isRefused =
      retryable === false && response?.status === 503 && !!purpose && !config.apiKey;
    const last = attemptLog.add(outcome, startedAt, now - startedAt, isRefused);
    if (!response && outcome.failure === "unsent") {
      // The error of the middleware would hide the side effect of an earlier attempt.
      if (isSubmission && wasUncertain) return outcome;
      throw outcome.cause;
    }
    const status = response?.status;
    const end = response ? status : (failureCode(outcome.cause) ?? outcome.failure);
    log(`attempt ${count} ended in ${end} after ${Math.round(now - startedAt)} ms`);
    if (purpose) rateLimiter.update(requestNumber, response?.rateLimit, now - startedAt);
    // The service may still process an earlier attempt of the same submission.
    const isOwnConflict = status === 409 && isSubmission && wasUncertain;
    if (response && !isOwnConflict && !isRetryable(response.status) && !isTruncated(response)) {
      return outcome;
    }
    // Nothing proves that a second attempt would not do the same again.
    if (isRefused || (purpose === "write" && attemptLog.firstUncertain)) return outcome;
    const requested = response?.requestedDelay;
    // The server may have closed a connection that it no longer wanted. Another one is tried at once.
    const isStale: boolean = !hasRetriedStale && !response && outcome.stage === "reused";
    hasRetriedStale ||= isStale;
    const delay = isStale ? 0 : retryDelay(retries, requested, config.random);
    // A proxy may limit the submissions of a user. Its 429 must not delay the polls of the user's last job.
    const blocks = status === 429 && purpose && (config.apiKey || !isSubmission);
    if (blocks) rateLimiter.block(delay);
    // The next attempt waits for the same job, until the service would respond in any case.
    const isCut = call.sync && attemptLog.mayHaveMadeJob && isSyncCut(last);
    const isWaiting = isCut && config.retries > 0 && !attemptLog.isPast(maxSyncWait, now);
    // Only failures use up retries. The deadline limits conflicts and 429.
    let isLast = status === 429 && !waits();
    if (isOwnConflict) isLast = now + delay - (conflictSince ??= now) > maxConflictTime;
    else if (status !== 429 && !isWaiting) isLast = ++failures > config.retries;
    const isTooLong = (requested ?? 0) > maxRetryAfter || delay >= deadline.left();
    if (isLast || isTooLong || isTooLate(now + delay)) return outcome;
    log(`${delay} ms until attempt ${count + 1}`);
    call.onRetry?.(delay);
    // After `block`, the next attempt waits in `acquire`.
    if (!blocks && delay > 0) await deadline.sleep(delay);
  }
}

/**
 * Sends a request once. A request without a response becomes an outcome with the reason. Throws only the caller's abort
 * reason, and an error of this package that `read` throws.
 */
export async function attempt(
  transport: Transport,
  request: HttpRequest,
  deadline: Deadline,
  context: TransportRequest["context"],
): Promise<Outcome> {
  deadline.throwIfAborted();
  const { body, timeout, read, onProgress } = request;
  const limit = deadline.attempt(timeout + (body?.length ?? 0) / minUploadSpeed);
  let stage: Stage | undefined;
  let isOver = false;
  const onSend = (next: Stage): void => {
    stage = next;
  };
  const onUpload = (isEnd: boolean, sent?: number): void => {
    // Some implementations of `fetch` continue to read after an abort.
    if (isOver) throw new Error("The attempt is over.");
    limit.restart(isEnd ? timeout : defaults.uploadIdle);
    if (sent) onProgress?.(sent);
  };
  let response: HttpResponse | undefined;
  try {
    const sending = transport.send({ ...request, deadline: limit, context, onSend, onUpload });
    response = await abortable(sending, limit.signal);
    return { response };
  } catch (cause) {
    deadline.throwIfAborted();
    // A retry would not change what `read` refuses.
    if (read && isBranded(cause)) throw cause;
    const unreadable = typeof body === "object" ? body.unreadable : undefined;
    // Node limits the wait for headers to 300 s.
    const timedOut = limit.passed || /(HEADERS|BODY)_TIM/.test(String(failureCode(cause)));
    const failure = timedOut ? "timed_out" : stage ? "connection_failed" : "unsent";
    if (unreadable) return { failure: "unsent", cause: unreadable };
    // A timeout says nothing about the connection.
    return {
      failure,
      cause,
      origin: new URL(request.url).origin,
      stage: timedOut && stage === "reused" ? "sent" : stage,
    };
  } finally {
    isOver = true;
    if (!response?.open) limit.close();
  }
}
