/** When the service was done with an item, and when its caller had the result: milliseconds since 1970. */
export interface Course {
  readonly endedAt: number;
  readonly cameAt: number;
}

/** What was counted while items were worked on. */
export interface Count {
  readonly startedAt: number;
  readonly courses: readonly Course[];
  readonly requests: number;
  /** Answers with status 429. */
  readonly refusals: number;
  /** Calls that a client gave up because of a 429, so that its caller had to take them up again. */
  readonly givenUp: number;
  readonly credits: number;
}

/** What it came to. Times are in milliseconds. */
export interface Tally extends Pick<Count, "refusals" | "givenUp" | "credits"> {
  /** From the start to the last result. */
  readonly makespan: number;
  readonly requestsPerJob: number;
  /** Between the end of a job and its result at the caller. */
  readonly meanDelay: number;
  readonly p95Delay: number;
}

/** @throws RangeError when there is no item. */
export function tallyOf({ startedAt, courses, requests, ...rest }: Count): Tally {
  const delays = courses.map(({ cameAt, endedAt }) => cameAt - endedAt).toSorted((a, b) => a - b);
  const p95Delay = delays[Math.ceil(delays.length * 0.95) - 1];
  if (p95Delay === undefined) throw new RangeError("Nothing was worked on; give it one item.");
  return {
    ...rest,
    makespan: Math.max(...courses.map(({ cameAt }) => cameAt)) - startedAt,
    requestsPerJob: requests / courses.length,
    meanDelay: delays.reduce((sum, delay) => sum + delay, 0) / delays.length,
    p95Delay,
  };
}
