import type { TryOnErrorCode } from "../errors/code.ts";
import { isBranded, type TryOnError } from "../errors/tryon-error.ts";
import type { Deadline } from "../transport/deadline.ts";
import type { Service } from "../transport/service.ts";
import type { JobData } from "./job-data.ts";

/** One wait for one job. */
export interface Watch {
  readonly id: string;
  /** Whether nothing is known of the job yet, so that the first look is due at once. */
  readonly unseen: boolean;
  /** Since when the service has had the job, as far as is known. */
  readonly since: number;
  /** How many looks were taken. */
  looks: number;
  /** The last failure that did not end the wait. */
  failure: TryOnError | undefined;
}

/** Says how jobs come along. A wait asks for one look after the other, and does not care where the look comes from. */
export interface Watcher {
  /**
   * Gives the job as it is after a sensible while. Rejects with what ends the wait: the caller's reason, the end of the
   * time, or an error that will not pass.
   */
  next(watch: Watch, deadline: Deadline): Promise<JobData>;
}

const firstPause = 1_000;
const longestPause = 5_000;
/** How long a fresh job may be unknown to the service, whose reads may lag behind. In milliseconds. */
const lagAllowed = 5_000;

/** The pause before a look, in milliseconds: a second at first, then longer up to 5 s, each up to 15 % off. */
export function pollDelay(looks: number, random: () => number): number {
  return Math.min(longestPause, firstPause * 1.5 ** looks) * (0.85 + 0.3 * random());
}

/** Asks for each job by its id. */
export class Poller implements Watcher {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  async next(watch: Watch, deadline: Deadline): Promise<JobData> {
    const { clock } = deadline;
    for (;;) {
      const due = watch.unseen && watch.looks === 0;
      const pause = due ? 0 : pollDelay(watch.looks, this.#service.settings().random);
      watch.looks += 1;
      await deadline.sleep(Math.max(pause, (watch.failure?.retryAfter ?? 0) * 1_000));
      try {
        return await this.#service.job(watch.id, { deadline });
      } catch (error) {
        const lags = clock.now() - watch.since < lagAllowed;
        if (deadline.signal.aborted || !isBranded(error)) throw error;
        if (!passing.has(error.code) && !(lags && error.code === "not_found")) throw error;
        watch.failure = error;
      }
    }
  }
}

/** Failures that say nothing about the job. */
const passing = new Set<TryOnErrorCode>([
  "connection_failed",
  "timed_out",
  "server_error",
  "unavailable",
  "rate_limited",
  "unexpected_response",
]);
