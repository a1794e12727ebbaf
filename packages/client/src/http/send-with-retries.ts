import type { Config } from "../config/resolve-config.ts";
import { attempt } from "./attempt.ts";
import { failureCode, type Outcome } from "./outcome.ts";
import type { CallContext, HttpRequest } from "./http-request.ts";
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

/** Maximum time to wait for a 409 to pass that the same submission may have caused, in milliseconds. */
const maxConflictTime = 120_000;

/** What every request of a client needs. */
export interface HttpContext {
  readonly config: Config;
  readonly rateLimiter: RateLimiter;
  readonly transport: Transport;
}

/**
 * Sends a request, and retries it until the response is final or no time or retry is left. Requests to the service wait
 * for the rate limit first. Throws only the caller's abort reason, and what a middleware threw before sending.
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
  const retriesByReason = new Map<number | undefined, number>();
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
      // An earlier attempt may have arrived, and its side effect must not get lost.
      if (isSubmission && wasUncertain) return outcome;
      throw outcome.cause;
    }
    const status = response?.status;
    const end = response ? status : (failureCode(outcome.cause) ?? outcome.failure);
    log(`attempt ${count} ended in ${end} after ${now - startedAt} ms`);
    if (purpose) rateLimiter.update(requestNumber, response?.rateLimit, now - startedAt);
    // An earlier attempt of the same submission may still be worked on.
    const isOwnConflict = status === 409 && isSubmission && wasUncertain;
    const mayPass =
      !response || isOwnConflict || isRetryable(response.status) || isTruncated(response);
    if (!mayPass) return outcome;
    // Conflicts and 429 do not use up the retries: only the deadline limits them.
    const reason = isOwnConflict || status === 429 ? status : undefined;
    const retries = retriesByReason.get(reason) ?? 0;
    retriesByReason.set(reason, retries + 1);
    const requested = response && requestedDelay(response, now);
    const delay = (isOwnConflict ? conflictDelay : retryDelay)(retries, requested, config.random);
    // A proxy may refuse a user another try-on while the user still waits for the last one.
    if (purpose && status === 429 && (config.apiKey || !isSubmission)) rateLimiter.block(delay);
    if (
      (!reason && retries >= config.retries) ||
      (isOwnConflict && now + delay - (conflictSince ??= now) > maxConflictTime) ||
      (requested ?? 0) > maxRetryAfter ||
      delay >= deadline.left() ||
      (isSubmission && attemptLog.isPast(config.idempotencyWindow, now + delay))
    ) {
      return outcome;
    }
    log(`${delay} ms until attempt ${count + 1}`);
    call.onRetry?.(delay);
    // The rate limiter delays the next attempt by itself.
    if (!purpose || rateLimiter.delay(queue) < delay) await deadline.sleep(delay);
  }
}
