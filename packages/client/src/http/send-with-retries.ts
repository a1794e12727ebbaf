import type { Config } from "../config/resolve-config.ts";
import { attempt } from "./attempt.ts";
import type { CallContext, HttpRequest } from "./http-request.ts";
import { failureCode, type Outcome } from "./outcome.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { isTruncated } from "./response.ts";
import type { Transport } from "./transport.ts";
import {
  conflictDelay,
  isRetryable,
  maxRetryAfter,
  requestedDelay,
  retryDelay,
} from "./retry-policy.ts";

/** Maximum time for retries after a 409 that the same submission may have caused, in milliseconds. */
const maxConflictTime = 120_000;

/** Parts of a client that every request uses. */
export interface HttpContext {
  readonly config: Config;
  readonly rateLimiter: RateLimiter;
  readonly transport: Transport;
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
  const retriesByReason = { conflict: 0, rateLimit: 0, failure: 0 };
  let conflictSince: number | undefined;
  for (;;) {
    let requestNumber = purpose ? rateLimiter.tryAcquire(queue) : 0;
    if (purpose && !requestNumber) {
      log(`rate limit for ${rateLimiter.delay(queue)} ms`);
      requestNumber = await rateLimiter.acquire(queue, deadline);
      // The service may forget the key while the request waits.
      const isLate = isSubmission && attemptLog.isPast(config.idempotencyWindow, clock.now());
      if (!requestNumber || isLate) {
        return { response: undefined, failure: "rate_limited", wait: rateLimiter.delay(queue) };
      }
    }
    const startedAt = clock.now();
    const wasUncertain = attemptLog.isUncertain;
    const count = attemptLog.attempts.length + 1;
    attemptLog.open += 1;
    const outcome = await attempt(
      transport,
      request,
      deadline,
      purpose && { attempt: count, purpose },
    );
    const now = clock.now();
    const { response } = outcome;
    attemptLog.add(outcome, startedAt, now - startedAt);
    if (!response && outcome.failure === "unsent") {
      // The error of the middleware would hide the side effect of an earlier attempt.
      if (isSubmission && wasUncertain) return outcome;
      throw outcome.cause;
    }
    const status = response?.status;
    const end = response ? status : (failureCode(outcome.cause) ?? outcome.failure);
    log(`attempt ${count} ended in ${end} after ${now - startedAt} ms`);
    if (purpose) rateLimiter.update(requestNumber, response?.rateLimit, now - startedAt);
    // The service may still process an earlier attempt of the same submission.
    const isOwnConflict = status === 409 && isSubmission && wasUncertain;
    if (response && !isOwnConflict && !isRetryable(response.status) && !isTruncated(response)) {
      return outcome;
    }
    // Nothing proves that a second attempt would not do the same again.
    if (purpose === "write" && attemptLog.isUncertain) return outcome;
    const reason = isOwnConflict ? "conflict" : status === 429 ? "rateLimit" : "failure";
    const retries = retriesByReason[reason]++;
    const requested = response && requestedDelay(response, now);
    const delay = (isOwnConflict ? conflictDelay : retryDelay)(retries, requested, config.random);
    // A proxy may limit the submissions of a user. Its 429 must not delay the polls of the user's last job.
    if (purpose && status === 429 && (config.apiKey || !isSubmission)) rateLimiter.block(delay);
    // Only failures use up retries. The deadline limits conflicts and 429.
    if (
      (reason === "failure" && retries >= config.retries) ||
      (isOwnConflict && now + delay - (conflictSince ??= now) > maxConflictTime) ||
      (requested ?? 0) > maxRetryAfter ||
      delay >= deadline.left() ||
      (isSubmission && attemptLog.isPast(config.idempotencyWindow, now + delay))
    ) {
      return outcome;
    }
    log(`${delay} ms until attempt ${count + 1}`);
    call.onRetry?.(delay);
    // If the rate limiter delays the next attempt for at least as long, `acquire` waits.
    if (!purpose || rateLimiter.delay(queue) < delay) await deadline.sleep(delay);
  }
}
