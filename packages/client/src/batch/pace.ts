/** What the next start depends on. Times are in milliseconds, moments in milliseconds since 1970. */
export interface Pace {
  readonly now: number;
  /** When the next start is due by even spacing. */
  readonly dueAt: number;
  /** Until when nothing is started, because what was started before has failed. */
  readonly restingUntil: number;
  /** Whether the service is asked to hold its answers, so that a try-on is one request. */
  readonly held: boolean;
  /** What is known of the rate limit, if anything is. */
  readonly budget?: Budget | undefined;
}

/** What is known of the rate limit of the key. */
interface Budget {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: number;
  readonly source: "headers" | "count";
}

const minute = 60_000;
/** The share of the rate limit that is left for looks at jobs: many where no answer is held, hardly any where each is. */
const leftForLooks = { held: 0.03, watched: 0.2 } as const;
/** At least that many requests a minute are left, for what nobody plans. */
const leastLeft = 1.5;
/** How far starts may be ahead of even spacing, so that a timer that comes late costs nothing. */
const leeway = 250;

/** How far apart starts are so that the rate limit is never met: no 60 seconds then hold more requests than it allows. */
export function spacing({ held, budget }: Pick<Pace, "held" | "budget">): number {
  if (budget === undefined || budget.limit <= 0) return 0;
  const { limit } = budget;
  const left = Math.max(leastLeft, limit * leftForLooks[held ? "held" : "watched"]);
  return minute / Math.max(limit - left, limit / 2);
}

/** How long the next start has to wait. */
export function startDelay(pace: Pace): number {
  const { now, dueAt, restingUntil, budget } = pace;
  const even = dueAt - leeway - now;
  const resting = restingUntil - now;
  return Math.max(0, even, resting, budget ? usedUp(pace, budget) : 0);
}

/** How long to wait because nothing is left of the limit; a count of our own is looked at again soon. */
function usedUp(pace: Pace, { remaining, resetAt, source }: Budget): number {
  const reset = resetAt - pace.now;
  if (remaining > 0 || reset <= 0) return 0;
  return source === "headers" ? reset : Math.min(reset, spacing(pace));
}

/** When the start after one at `now` is due. */
export function nextDue(pace: Pace): number {
  return Math.max(pace.now, pace.dueAt) + spacing(pace);
}

/** How many items may be read ahead of their start: what is started within a second, and while an input is made. */
export function readAhead(pace: Pick<Pace, "held" | "budget">, preparation: number): number {
  const apart = spacing(pace);
  if (apart === 0) return Number.POSITIVE_INFINITY;
  return Math.max(1, Math.floor(1_000 / apart)) + Math.ceil(preparation / apart);
}

/** How long the making of an input is taken to take after one more of them: the newest counts a quarter. */
export function preparationAfter(earlier: number | undefined, newest: number): number {
  return earlier === undefined ? newest : earlier + (newest - earlier) / 4;
}

/** How long nothing is started after so many bouts of failures in a row: 1 s, then twice as long each time, up to 60 s. */
export function restAfter(bouts: number): number {
  return bouts === 0 ? 0 : Math.min(minute, 1_000 * 2 ** (bouts - 1));
}
