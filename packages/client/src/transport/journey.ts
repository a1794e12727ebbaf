import type { Attempt, AttemptFailure } from "../errors/tryon-error.ts";
import type { Settings } from "../settings.ts";
import type { Purpose } from "./answer-error.ts";
import { attempt, failureCode, type Fetch, type Outcome, type Outgoing } from "./attempt.ts";
import { isTruncated } from "./answer.ts";
import { anything, effectOf, nothing, type Effect } from "./certainty.ts";
import type { Deadline } from "./deadline.ts";
import { latePart } from "./late-part.ts";
import {
  conflictDelay,
  isRetryable,
  longestRetryAfter,
  pauseAskedFor,
  retryDelay,
} from "./retry.ts";

/** How long a 409 is waited out that may come from this very submission still being worked on, in milliseconds. */
const longestConflict = 120_000;

/** What is known about all attempts of one request so far. */
export class Trail {
  readonly attempts: Attempt[] = [];
  /** When the first attempt was sent that may have done something, in milliseconds since 1970. */
  uncertainSince: number | undefined;
  #worst: Effect = nothing;

  add(outcome: Outcome, startedAt: number, duration: number): void {
    const effect = effectOf(outcome);
    if (effect > this.#worst) this.#worst = effect;
    if (effect !== nothing) this.uncertainSince ??= startedAt;
    const { answer } = outcome;
    this.attempts.push({
      startedAt,
      duration,
      // What the gate refused was no attempt, and does not come here.
      ...(answer ? { status: answer.status } : { failure: outcome.failure as AttemptFailure }),
    });
  }

  /** Whether an attempt may have done something. */
  get uncertain(): boolean {
    return this.uncertainSince !== undefined;
  }

  /** Whether the end of the last attempt says all that can be said of every one before. */
  isToldBy(last: Outcome): boolean {
    return this.#worst !== anything && this.#worst === effectOf(last);
  }
}

/** One request, from its first attempt to its last. */
export interface Journey {
  readonly request: Outgoing;
  readonly deadline: Deadline;
  readonly trail: Trail;
  /** Method and path, for people. */
  readonly name: string;
  /** What it asks the service for; absent for any other address, which is told no key and has no rate limit. */
  readonly purpose?: Purpose | undefined;
  /** Told before each pause. */
  readonly onRetry?: ((pause: number) => void) | undefined;
}

/**
 * Makes attempts until one ends it: with an answer that another attempt would not better, or when there is no time or
 * try left. Throws only the caller's reason, and what a middleware threw in place of sending.
 */
export async function travel(journey: Journey, settings: Settings): Promise<Outcome> {
  const { deadline, request, trail, purpose, name } = journey;
  // A 409 to what is under a key may come from an attempt of its own that is still being worked on.
  const keyed = purpose === "submit";
  const { clock } = deadline;
  const { gate, random, retries } = settings;
  const log = (words: string): void => settings.log("debug", `${name}: ${words}`);
  const pauses = new Map<number | undefined, number>();
  let conflictSince: number | undefined;
  for (;;) {
    if (purpose && gate.wait > 0) {
      log(`rate limit for ${gate.wait} ms`);
      const refused = await gate.refuses(deadline);
      // Waiting may have taken longer than a key is remembered.
      if (refused || (keyed && isForgettable(trail, settings, clock.now()))) {
        return { answer: undefined, failure: "rate_limited", wait: gate.wait };
      }
    }
    if (purpose) gate.count();
    const startedAt = clock.now();
    const { uncertain } = trail;
    const count = trail.attempts.length + 1;
    const way = purpose ? serviceFetch(settings, purpose, count) : settings.fetch;
    const outcome = await attempt(way, request, deadline);
    const now = clock.now();
    const { answer } = outcome;
    trail.add(outcome, startedAt, now - startedAt);
    if (!answer && outcome.failure === "unsent") {
      // An earlier attempt may have arrived, and that must not get lost.
      if (keyed && uncertain) return outcome;
      throw outcome.cause;
    }
    const status = answer?.status;
    const end = answer ? status : (failureCode(outcome.cause) ?? outcome.failure);
    log(`attempt ${count} ended in ${end} after ${now - startedAt} ms`);
    if (purpose) gate.hear(answer?.rateLimit);
    const conflict = status === 409 && keyed && uncertain;
    if (answer && !conflict && !isRetryable(answer.status) && !isTruncated(answer)) return outcome;
    // The limit is not a failure: as long as there is time, it does not use up the retries, nor does a conflict.
    const kind = conflict || status === 429 ? status : undefined;
    const earlier = pauses.get(kind) ?? 0;
    pauses.set(kind, earlier + 1);
    const asked = answer && pauseAskedFor(answer, now);
    const pause = (conflict ? conflictDelay : retryDelay)(earlier, asked, random);
    // A proxy may refuse a visitor another try-on, and that must not stop the waiting for the last one.
    if (purpose && status === 429 && (settings.apiKey || !keyed)) gate.close(pause);
    if (
      (!kind && earlier >= retries) ||
      (conflict && now + pause - (conflictSince ??= now) > longestConflict) ||
      (asked ?? 0) > longestRetryAfter ||
      pause >= deadline.left() ||
      (keyed && isForgettable(trail, settings, now + pause))
    ) {
      return outcome;
    }
    log(`${pause} ms until attempt ${count + 1}`);
    journey.onRetry?.(pause);
    // The gate has its own pause.
    if (gate.wait < pause || !purpose) await deadline.sleep(pause);
  }
}

/** Whether the service may have forgotten the key of a submission that may have arrived, so that it must not be sent again. */
export function isForgettable(
  trail: Trail,
  settings: Pick<Settings, "replaySafeFor">,
  now: number,
): boolean {
  return now - (trail.uncertainSince ?? now) > settings.replaySafeFor;
}

const middlewarePart = /* @__PURE__ */ latePart(() => import("./middleware.ts"));

/** The way of one attempt to the service: through the middleware, and then with the key. */
function serviceFetch(settings: Settings, purpose: Purpose, count: number): Fetch {
  const { fetch, middleware, apiKey } = settings;
  if (middleware[0]) {
    return async (url, init) => {
      const { sendThrough } = await middlewarePart().catch((unsent: unknown) => {
        throw { unsent };
      });
      return sendThrough(settings, url, init, { attempt: count, purpose });
    };
  }
  // A proxy adds its own.
  if (!apiKey) return fetch;
  return (url, init) => {
    // Every init of this package has its headers in a record.
    const headers = { ...(init.headers as object), authorization: `Bearer ${apiKey}` };
    return fetch(url, { ...init, headers });
  };
}
