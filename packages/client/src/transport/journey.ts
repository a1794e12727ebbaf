import type { Attempt } from "../errors/tryon-error.ts";
import type { Settings } from "../settings.ts";
import { attempt, type Outcome, type Outgoing } from "./attempt.ts";
import { isTruncated } from "./answer.ts";
import { effectOf, type Effect } from "./certainty.ts";
import type { Deadline } from "./deadline.ts";
import {
  conflictDelay,
  isRetryable,
  longestRetryAfter,
  parseRetryAfter,
  retryDelay,
} from "./retry.ts";

/** How long a 409 is waited out that may come from this very submission still being worked on, in milliseconds. */
const longestConflict = 120_000;
/** How long after its first attempt a submission may be sent again: a service may forget the key. In milliseconds. */
const replaySafeFor = 30 * 60_000;

/** What is known about all attempts of one request so far. */
export class Trail {
  readonly attempts: Attempt[] = [];
  readonly #effects = new Set<Effect>();
  firstSentAt: number | undefined;

  add(outcome: Outcome, startedAt: number, duration: number): void {
    this.firstSentAt ??= startedAt;
    this.#effects.add(effectOf(outcome));
    const { answer } = outcome;
    this.attempts.push(
      answer === undefined
        ? { startedAt, duration, failure: outcome.failure }
        : { startedAt, duration, status: answer.status },
    );
  }

  /** Whether an attempt may have arrived. */
  get uncertain(): boolean {
    return this.#effects.has("unknown") || this.#effects.has("server_error");
  }

  /** Whether the worst that is known of any attempt is an error of the server. */
  get onlyServerErrors(): boolean {
    return !this.#effects.has("unknown");
  }
}

/** One request, from its first attempt to its last. */
export interface Journey {
  readonly request: Outgoing;
  readonly deadline: Deadline;
  readonly trail: Trail;
  /** Whether it is under a key, so that a 409 may come from an attempt of its own that is still being worked on. */
  readonly keyed: boolean;
  /** Told before each pause. */
  readonly onRetry?: ((pause: number) => void) | undefined;
}

/**
 * Makes attempts until one ends it: with an answer that another attempt would not better, or when there is no time or
 * try left. Throws only the caller's reason.
 */
export async function travel(journey: Journey, settings: Settings): Promise<Outcome> {
  const { deadline, request, trail, keyed } = journey;
  const { clock } = deadline;
  let failures = 0;
  let limited = 0;
  let conflicts = 0;
  let conflictSince = 0;
  for (;;) {
    const startedAt = clock.now();
    const uncertain = trail.uncertain;
    const outcome = await attempt(settings.fetch, request, deadline);
    trail.add(outcome, startedAt, clock.now() - startedAt);
    const { answer } = outcome;
    const retryAfter = answer && parseRetryAfter(answer.headers, clock.now());
    let pause: number;
    if (answer?.status === 409 && keyed && uncertain) {
      if (conflicts === 0) conflictSince = clock.now();
      pause = conflictDelay(conflicts++, retryAfter, settings.random);
      if (clock.now() + pause - conflictSince > longestConflict) return outcome;
    } else if (answer && !isRetryable(answer.status) && !isTruncated(answer)) {
      return outcome;
    } else if (answer?.status === 429) {
      // The limit is not a failure: as long as there is time, it does not use up the retries.
      pause = retryDelay(limited++, retryAfter, settings.random);
    } else {
      if (failures >= settings.retries) return outcome;
      pause = retryDelay(failures++, retryAfter, settings.random);
    }
    if ((retryAfter ?? 0) > longestRetryAfter || pause >= deadline.left()) return outcome;
    if (keyed && isForgettable(trail, clock.now() + pause)) return outcome;
    journey.onRetry?.(pause);
    await deadline.sleep(pause);
  }
}

/** Whether the service may have forgotten the key of a submission that may have arrived. */
export function isForgettable(trail: Trail, now: number): boolean {
  return (
    trail.uncertain && trail.firstSentAt !== undefined && now - trail.firstSentAt > replaySafeFor
  );
}
