import { isJobId } from "../api/api.ts";
import { defaults, type Clock } from "../config/options.ts";
import { readDuration } from "../config/resolve-config.ts";
import { checkedStore, memoryStore, type QuotaStore } from "./quota-store.ts";
import type { MaxRefusals, ProxyRefusal, RefusedJob } from "./options.ts";

const day = 86_400_000;
/** Number of parts of `per`, which have a counter each. */
const parts = 4;

type Submission = "sent" | "invalid";

const submissionKey = (state: Submission, userId: string, key = ""): string =>
  JSON.stringify([state, userId, key]);

/** Counts the refused jobs of each user, with the counters of a quota store. */
export function createRefusalLimit(
  { count: max, per: duration, store }: MaxRefusals,
  onRefusal: (refusal: ProxyRefusal) => void,
  quotaStore: QuotaStore | undefined,
  clock: Pick<Clock, "now" | "monotonic">,
) {
  const per = readDuration(duration);
  const part = per / parts;
  const counters = checkedStore(store ?? quotaStore ?? memoryStore(clock));
  const partAt = (now: number): number => Math.floor(now / part);
  const partKey = (userId: string, index: number): string =>
    JSON.stringify(["refusals", userId, part, index]);
  /** Returns the number of refusals, and the seconds until the user may submit again if there are too many. */
  const read = async (userId: string, now: number, newest?: number) => {
    // One part more than `per`, since the newest has only begun.
    const found = Array.from({ length: parts + 1 }, async (_, age) => {
      const index = partAt(now) - age;
      const known = age === 0 ? newest : undefined;
      const number = known ?? (await counters.get(partKey(userId, index)));
      return { count: number, end: (index + parts + 1) * part };
    });
    let count = 0;
    let retryAfter: number | undefined;
    // From new to old: without the first part that reaches the maximum, there are few enough.
    for (const one of await Promise.all(found)) {
      count += one.count;
      if (count >= max) retryAfter ??= (one.end - now) / 1_000;
    }
    return { count, retryAfter };
  };
  return {
    /** Returns the seconds until a user may submit again, or undefined if the user may submit now. */
    async check(userId: string, idempotencyKey?: string): Promise<number | undefined> {
      const { retryAfter } = await read(userId, clock.now());
      if (retryAfter === undefined) return undefined;
      // A retry makes no other job, and the page needs the response: the first attempt may have been charged.
      const [sent = 0, invalid = 0] = await Promise.all(
        (["sent", "invalid"] as const).map((state) =>
          counters.get(submissionKey(state, userId, idempotencyKey)),
        ),
      );
      return sent > 0 && invalid === 0 ? undefined : retryAfter;
    },

    /** Remembers that a submission is sent, or that the service has rejected it as invalid, so that its key is unused. */
    async mark(state: Submission, userId: string, idempotencyKey?: string): Promise<void> {
      const key = submissionKey(state, userId, idempotencyKey);
      await counters.increment(key, defaults.idempotencyWindow * 0.9);
    },

    /** Counts a job if the service has refused its content. Returns true if it is counted for the first time. */
    async record(userId: string, job: RefusedJob): Promise<boolean> {
      const { job_id: jobId, status, error_message, completed_at } = job;
      const now = clock.now();
      const age = now - Date.parse(String(completed_at));
      const isRefused = status === "failed" && error_message === "content_blocked";
      if (!isRefused || !isJobId(jobId) || age >= per) return false;
      const refused = JSON.stringify(["refused", jobId]);
      // Most reports are polls of a job that was counted.
      if ((await counters.get(refused)) > 0) return false;
      // The clocks of service and proxy can differ by less than a day. A crash after this line loses the refusal, and the
      // other order could count it twice.
      if ((await counters.increment(refused, per + day)) > 1) return false;
      // Kept for longer than it is read: the clock can be set back.
      const newest = await counters.increment(partKey(userId, partAt(now)), 2 * per);
      const { count, retryAfter } = await read(userId, now, newest);
      try {
        onRefusal({ user: userId, jobId, count, retryAfter });
      } catch {
        // An error of the callback must not end the request.
      }
      return true;
    },
  };
}
