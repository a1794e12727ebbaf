import { CheckFailure, SkipCheck } from "./outcome.ts";
import type { Time } from "./target/time.ts";

/** Maximum duration of a job, in milliseconds. */
export const maxJobTime = 180_000;

/** Time to wait for a job after another has not ended, in milliseconds. */
const shortTime = 15_000;

/**
 * Waits for the ends of jobs. Where time is real, checks that submit the same try-on share one job and one wait, and a
 * stuck deployment gets the maximum time once.
 */
export class JobWaits {
  readonly #time: Time;
  readonly #shared = new Map<string, Promise<unknown>>();
  #stuck: string | undefined;

  constructor(time: Time) {
    this.#time = time;
  }

  /**
   * Runs a job once for all checks with the same id. Where the kit advances the clock, each check has its own job, since
   * days may pass between checks and waiting is free.
   *
   * @param id names the key, the fields and the outcome of the job.
   */
  share<Run>(id: string, run: () => Promise<Run>): Promise<Run> {
    return this.#time.virtual ? run() : this.once(id, run);
  }

  once<Run>(id: string, run: () => Promise<Run>): Promise<Run> {
    // Runs with the same id have the same type.
    const known = this.#shared.get(id) as Promise<Run> | undefined;
    if (known !== undefined) return known;
    const shared = run();
    this.#shared.set(id, shared);
    shared.catch((error: unknown) => {
      // The next check may have enough credits.
      if (error instanceof SkipCheck) this.#shared.delete(id);
    });
    return shared;
  }

  /**
   * Polls a job until it ends.
   *
   * @param poll returns the poll after the end, and undefined before.
   * @throws CheckFailure when it does not end in time, SkipCheck when it does not end soon after another did not end.
   */
  async untilEnded<Result>(
    jobId: string,
    poll: () => Promise<Result | undefined>,
    step: number,
  ): Promise<Result> {
    const time = this.#time;
    const stuck = time.virtual ? undefined : this.#stuck;
    const within = stuck === undefined ? maxJobTime : shortTime;
    const from = time.now();
    for (;;) {
      const ended = await poll();
      if (ended !== undefined) {
        this.#stuck = undefined;
        return ended;
      }
      if (time.now() - from > within) break;
      await time.pass(step);
    }
    if (stuck !== undefined) {
      throw new SkipCheck(
        `A job had not ended after ${shortTime / 1_000} s, and ${stuck} before it not after ${maxJobTime / 1_000} s.`,
      );
    }
    this.#stuck = jobId;
    throw new CheckFailure(`It took over ${maxJobTime / 1_000} s until ${jobId} ends.`);
  }
}
