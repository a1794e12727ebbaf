import { isPage } from "#page";

import { ageSince } from "../config/clock.ts";
import { defaults } from "../config/options.ts";
import type { Config } from "../config/resolve-config.ts";
import {
  isBranded,
  type ApiErrorCode,
  type ConnectionErrorCode,
  type FieldIssue,
} from "../errors/tryon-error.ts";
import type { Job, Recover } from "../types/job.ts";
import type { Purpose } from "../types/middleware.ts";
import type { Part } from "../types/part.ts";
import type { AttemptLog } from "./attempt-log.ts";
import { abortable, type Deadline } from "./deadline.ts";
import type {
  HttpRequest,
  HttpResponse,
  Stage,
  Transport,
  TransportRequest,
} from "./http-request.ts";
import { decideNext, firstState, type RetryLimits } from "./decide-next.ts";
import { failureCode, isBeforeSending, isBlocked, rowOf, type Outcome } from "./outcome-table.ts";
import type { RequestLimiter } from "./rate-limiter.ts";

/** Minimum speed of an upload without progress events, in bytes per millisecond (1 Mbit/s). It sets the upload's time limit. */
const minUploadSpeed = 125;

/** Minimum size of an upload that may exceed a limit, in bytes. Smaller bodies are sent at once. */
const minUpload = 2 ** 17;

export interface HttpContext {
  readonly config: Config;
  readonly rateLimiter: RequestLimiter;
  readonly transport: Transport;
  /** Finds out if the service is at another URL. Absent for a client of a proxy, whose URL is that of the app. */
  readonly identify?: Part<{ readonly isServiceElsewhere: IsServiceElsewhere }>;
  readonly explain: Part<{ readonly explainOutcome: ExplainOutcome }>;
}

export type IsServiceElsewhere = (http: HttpContext, deadline: Deadline) => Promise<boolean>;

export interface Explanation {
  readonly text: string;
  /** End of a sentence about the attempt. */
  readonly end: string;
  readonly hint?: string;
  readonly issues?: readonly FieldIssue[] | undefined;
  readonly cause?: Error;
}

export type ExplainOutcome = (
  outcome: Outcome,
  call: CallContext,
  code: ApiErrorCode | ConnectionErrorCode,
  config: Pick<Config, "redact" | "apiKey" | "baseUrl">,
  failureCode: string | undefined,
) => Explanation;

export interface CallContext {
  readonly name: string;
  /** Absent for any server but the service: the request gets no API key and is not rate limited. */
  readonly purpose?: Purpose | undefined;
  readonly deadline: Deadline;
  readonly attemptLog: AttemptLog;
  readonly onRetry?: ((delay: number) => void) | undefined;
  readonly submission?: { readonly idempotencyKey: string; readonly recover: Recover } | undefined;
  readonly job?: Job | undefined;
  /** Returns true once a submission must not be sent any more. */
  readonly isOver?: (() => boolean) | undefined;
  readonly sync?: boolean | undefined;
  /** If true, the request polls jobs that are waited for. It waits for the rate limit with any `onRateLimit`. */
  readonly isPoll?: boolean | undefined;
}

/** Calls `onRateLimit` before a wait, in milliseconds. Its errors are ignored. */
export function reportWait({ onRateLimit }: HttpContext["config"], delay: number): void {
  if (typeof onRateLimit === "function") (async () => onRateLimit(delay))().catch(() => undefined);
}

/**
 * Sends a request, and retries it until the response is final or no time or retry is left. Requests to the service wait
 * for the rate limit first. Throws only the caller's abort reason, and an error that a middleware threw before sending.
 *
 * A 429 delays all requests of the key by the delay that it requests, and its headers update the limit of `rateLimiter`.
 * After a lost response, the same submission is retried with the same key and body, until `idempotencyWindow` has passed.
 */
export async function sendWithRetries(
  http: HttpContext,
  request: HttpRequest,
  call: CallContext,
): Promise<Outcome> {
  const { config, rateLimiter, transport } = http;
  const { deadline, attemptLog, purpose, name } = call;
  const { clock } = deadline;
  const queue = purpose === "read" ? "read" : "submit";
  const log = (text: string): void => config.log("debug", `${name}: ${text}`);
  const limits: RetryLimits = {
    ...config,
    purpose,
    isProxy: !config.apiKey,
    sync: call.sync ?? false,
    // A job can be paid for.
    waits: config.onRateLimit !== "throw" || !purpose || (call.isPoll ?? false),
    length: request.body?.length ?? 0,
  };
  let state = firstState;
  for (;;) {
    let requestNumber = 0;
    if (purpose) {
      const wait = rateLimiter.delay(queue);
      if (wait > 0) log(`rate limit for ${wait} ms`);
      if (wait > 0 && wait < deadline.left()) reportWait(config, wait);
      // So can a submission or purchase that may have arrived.
      const waits = limits.waits || (purpose !== "read" && !!attemptLog.firstUncertain);
      requestNumber = await rateLimiter.acquire(queue, deadline, waits);
      const isTooLate =
        purpose === "submit" && (call.isOver?.() || attemptLog.isPast(config.idempotencyWindow));
      if (!requestNumber || isTooLate) {
        return { failure: "rate_limited", requestedDelay: rateLimiter.delay(queue) };
      }
    }
    const startedAt = clock.now();
    const start = clock.monotonic();
    const age = ageSince(clock);
    const { firstUncertain } = attemptLog;
    const count = attemptLog.attempts.length + 1;
    attemptLog.open += 1;
    const context = purpose && { attempt: count, purpose };
    const sent = state.count > 0 ? { ...request, isRetry: true } : request;
    const first = await attempt(transport, sent, deadline, context);
    const duration = Math.round(clock.monotonic() - start);
    const isUnidentified =
      http.identify &&
      first.response &&
      /submit|purchase/.test(`${purpose}`) &&
      !state.hasIdentified &&
      rowOf(first).next === "identify";
    const outcome = isUnidentified
      ? { ...first, isElsewhere: await isElsewhere(http, deadline) }
      : first;
    const { response } = outcome;
    const decision = decideNext(limits, state, outcome, {
      now: clock.monotonic(),
      left: deadline.left(),
      duration,
      age: age(),
      uncertainFor: firstUncertain && attemptLog.age,
    });
    attemptLog.add(outcome, startedAt, duration, decision, age);
    if (!response && outcome.failure === "unsent") {
      // The error of the middleware would hide the side effect of an earlier attempt.
      if (purpose === "submit" && firstUncertain) return outcome;
      throw outcome.cause;
    }
    const end = response ? response.status : (failureCode(outcome.cause) ?? outcome.failure);
    log(`attempt ${count} ended in ${end} after ${Math.round(duration)} ms`);
    if (purpose) rateLimiter.update(requestNumber, response?.rateLimit, duration);
    const { block, retry } = decision;
    if (block !== undefined) rateLimiter.block(block);
    if (!retry) return outcome;
    log(`${retry.delay} ms until attempt ${count + 1}`);
    call.onRetry?.(retry.delay);
    state = retry.state;
    // After `block`, the next attempt waits in `acquire`.
    if (block === undefined && retry.delay > 0) await deadline.sleep(retry.delay);
  }
}

async function isElsewhere(http: HttpContext, deadline: Deadline): Promise<boolean> {
  const part = await loadInTime(http.identify, deadline);
  deadline.throwIfAborted();
  return (await part?.isServiceElsewhere(http, deadline)) ?? false;
}

/** Returns a part of the client, or undefined if a page cannot load it in time. */
export async function loadInTime<Module>(
  load: Part<Module> | undefined,
  { signal }: Pick<Deadline, "signal">,
): Promise<Module | undefined> {
  const part = load?.();
  return part instanceof Promise ? abortable(part, signal).catch(() => undefined) : part;
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
  let isUploaded = typeof body !== "object" || body.length <= minUpload;
  let isOver = false;
  const onSend = (next: Stage): void => {
    // After `sent`, a middleware or a 417 has the request sent again. The first one may have arrived.
    stage = /s/.test(`${stage}`) ? "lost" : next;
  };
  // A page sends no streams.
  const onUpload = (isEnd: boolean, sent?: number): void => {
    if (isPage) return;
    // Some implementations of `fetch` continue to read after an abort.
    if (isOver) throw new Error("The attempt is over.");
    isUploaded ||= isEnd;
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
    const hasNoFetch = !isPage && isBranded(cause) && cause.code === "invalid_config";
    const unsent = hasNoFetch ? cause : typeof body === "object" && body.unreadable;
    if (unsent) return { failure: "unsent", cause: unsent };
    // Node limits the wait for headers to 300 s.
    const timedOut = isPage
      ? limit.passed
      : limit.passed || /(HEADERS|BODY)_TIM/.test(String(failureCode(cause)));
    const failure = timedOut ? "timed_out" : stage ? "connection_failed" : "unsent";
    const blocked = !isPage && isBlocked(cause);
    const isBroken =
      !isUploaded &&
      !timedOut &&
      (isPage
        ? stage !== "connecting"
        : stage !== "connecting" && !isBeforeSending(cause) && !blocked);
    return {
      failure,
      cause,
      ...(!isPage && { isBlocked: blocked }),
      origin: new URL(request.url).origin,
      stage,
      brokenUpload: isBroken ? body?.length : undefined,
    };
  } finally {
    isOver = true;
    if (!response?.open) limit.close();
  }
}
