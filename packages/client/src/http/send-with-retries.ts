import type { Attempt, AttemptFailure } from "../errors/tryon-error.ts";
import type { Settings } from "../config/resolve-config.ts";
import type { Purpose } from "./response-error.ts";
import { attempt, failureCode, type Fetch, type Outcome, type Outgoing } from "./attempt.ts";
import { isTruncated } from "./response.ts";
import { anything, conflict, effectOf, nothing, type Effect } from "./side-effects.ts";
import type { Deadline } from "./deadline.ts";
import { latePart } from "./late-part.ts";
import {
  conflictDelay,
  isRetryable,
  longestRetryAfter,
  pauseAskedFor,
  retryDelay,
} from "./retry-policy.ts";

/** How long a 409 is waited out that may come from this very submission still being worked on, in milliseconds. */
const longestConflict = 120_000;

/** What is known about all attempts of one request so far. */
export class Trail {
  readonly attempts: Attempt[] = [];
  /** When the first attempt was sent that may have done something, in milliseconds since 1970. */
  uncertainSince: number | undefined;
  #worst: Effect = nothing;
  #first = 0;
  /** Whether an attempt is being sent. */
  sending = false;

  add(outcome: Outcome, startedAt: number, duration: number): void {
    const effect = effectOf(outcome);
    this.sending = false;
    if (effect > this.#worst) this.#worst = effect;
    if (effect !== nothing && this.uncertainSince === undefined) {
      this.uncertainSince = startedAt;
      this.#first = this.attempts.length + 1;
    }
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

  /** Whether an attempt may have made a job, or may be about to; a key that is taken is no job of its own. */
  get mayHaveMade(): boolean {
    return this.sending || this.#worst > conflict;
  }

  /** Whether the last attempt is the first that may have done something. */
  get isFirst(): boolean {
    return this.#first === this.attempts.length;
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
  const line = purpose === "read" ? 1 : 0;
  const log = (words: string): void => settings.log("debug", `${name}: ${words}`);
  const pauses = new Map<number | undefined, number>();
  let conflictSince: number | undefined;
  for (;;) {
    let ticket = purpose ? gate.enter(line) : 0;
    if (purpose && !ticket) {
      log(`rate limit for ${gate.wait(line)} ms`);
      ticket = await gate.queue(line, deadline);
      // Waiting may have taken longer than a key is remembered.
      if (!ticket || (keyed && isForgettable(trail, settings, clock.now()))) {
        return { answer: undefined, failure: "rate_limited", wait: gate.wait(line) };
      }
    }
    const startedAt = clock.now();
    const { uncertain } = trail;
    const count = trail.attempts.length + 1;
    const way = purpose ? serviceFetch(settings, purpose, count) : settings.fetch;
    trail.sending = true;
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
    if (purpose) gate.hear(ticket, answer?.rateLimit, now - startedAt);
    const taken = status === 409 && keyed && uncertain;
    if (answer && !taken && !isRetryable(answer.status) && !isTruncated(answer)) return outcome;
    // The limit is not a failure: as long as there is time, it does not use up the retries, nor does a conflict.
    const kind = taken || status === 429 ? status : undefined;
    const earlier = pauses.get(kind) ?? 0;
    pauses.set(kind, earlier + 1);
    const asked = answer && pauseAskedFor(answer, now);
    const pause = (taken ? conflictDelay : retryDelay)(earlier, asked, random);
    // A proxy may refuse a visitor another try-on, and that must not stop the waiting for the last one.
    if (purpose && status === 429 && (settings.apiKey || !keyed)) gate.close(pause);
    if (
      (!kind && earlier >= retries) ||
      (taken && now + pause - (conflictSince ??= now) > longestConflict) ||
      (asked ?? 0) > longestRetryAfter ||
      pause >= deadline.left() ||
      (keyed && isForgettable(trail, settings, now + pause))
    ) {
      return outcome;
    }
    log(`${pause} ms until attempt ${count + 1}`);
    journey.onRetry?.(pause);
    // The gate has its own pause.
    if (!purpose || gate.wait(line) < pause) await deadline.sleep(pause);
  }
}

/** Whether the service may have forgotten the key of a submission that may have arrived, so that it must not be sent again. */
export function isForgettable(
  trail: Trail,
  settings: Pick<Settings, "idempotencyWindow">,
  now: number,
): boolean {
  return now - (trail.uncertainSince ?? now) > settings.idempotencyWindow;
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
