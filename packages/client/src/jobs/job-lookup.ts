import type { CallOptions } from "../types/call-options.ts";
import type { JobData } from "../types/job.ts";
import type { KeySearch, SoughtKey } from "../types/key-search.ts";
import { listJobs } from "../api/account-requests.ts";
import { readTime, serviceTime } from "../api/service-time.ts";
import { defaults } from "../config/options.ts";
import { rejectUnknown, type Config } from "../config/resolve-config.ts";
import { callOptionNames, within, type Deadline } from "../http/deadline.ts";
import type { ClientContext, ClientContexts, SentSubmission } from "./client-context.ts";
import { jobsOfPages } from "./list-pages.ts";
import { maxReadLag } from "./job-poller.ts";
import { JobRecord, maxClockSkew } from "./job-record.ts";
import { takeKeyFromMetadata } from "./parse-input.ts";

/** Options of `jobs.findByKey`. `timeout` applies to each page of the list. */
export interface FindOptions extends CallOptions {
  /**
   * Time before the first attempt of the submission: a `Date`, milliseconds since 1970 or ISO 8601. It may be earlier, such
   * as the time at which a queue got the item. Older jobs are not read, except for an hour, since clocks differ.
   *
   * @default none: the whole list is read, and the outcome is never `absent`
   */
  readonly firstAttemptAt?: Date | number | string | undefined;
  /** If true, each attempt had `keyInMetadata`. Otherwise the outcome is never `absent`. @default that of the client */
  readonly keyInMetadata?: boolean | undefined;
  /**
   * Fingerprint of the API key of the submission. Only the list of that key is read, which can be one of `recoveryKeys`.
   *
   * @default none: the lists of the key and of all `recoveryKeys` are read
   */
  readonly apiKeyFingerprint?: string | undefined;
}

const findOptionNames: Readonly<Record<keyof FindOptions, true>> = {
  ...callOptionNames,
  firstAttemptAt: true,
  keyInMetadata: true,
  apiKeyFingerprint: true,
};

/** Limits of each page of the list, or the deadline of the whole search. */
export type FindLimits = CallOptions & { readonly deadline?: Deadline };

/** Searches for jobs by their keys. Submissions must be older than the first search. Rejects with the abort reason only. */
export interface KeyFinder {
  find(sought: SoughtKey, limits?: FindLimits): Promise<KeySearch>;
}

/** Iterates over the list of a key, newest first. Each search continues where the last one has stopped. */
function iterateList(load: (cursor: string | undefined) => ReturnType<typeof loadPage>) {
  const jobs = jobsOfPages(load);
  /** Ids of the jobs that the iteration has read, by idempotency key. */
  const ids = new Map<string, string>();
  /** Creation time of the last job that was read. */
  let reached = Infinity;
  let hasEnded = false;

  /** Reads until a job has the key, or is too old for it. `isBeyond` is true if the list has such an older job. */
  return async (
    { idempotencyKey: key, firstAttemptAt = Number.NEGATIVE_INFINITY }: SoughtKey,
    now: number,
  ) => {
    // If the clock was set back, the iteration would end too early.
    const oldest = Math.min(firstAttemptAt, now) - maxClockSkew;
    let id = ids.get(key);
    let data: JobData | undefined;
    while (id === undefined && !hasEnded && reached >= oldest) {
      const next = await jobs.next();
      hasEnded = next.done === true;
      if (next.done) break;
      const { idempotencyKey } = takeKeyFromMetadata(next.value);
      if (idempotencyKey !== undefined) ids.set(idempotencyKey, next.value.job_id);
      if (idempotencyKey === key) [id, data] = [next.value.job_id, next.value];
      reached = serviceTime(next.value.created_at) || reached;
    }
    return { id, data, isBeyond: reached < oldest };
  };
}

async function loadPage({ api }: ClientContext, cursor: string | undefined, deadline: Deadline) {
  const { data } = await listJobs(api, { cursor }, { deadline });
  return { jobs: data.jobs, nextCursor: data.next_cursor };
}

/**
 * Finds jobs by the idempotency key in their metadata, with one iteration over the list of each API key for all searches. Jobs
 * belong to an API key, so it also reads the lists of earlier keys.
 */
export function createJobLookup(contexts: ClientContexts): KeyFinder {
  const lists = new Map<ClientContext, ReturnType<typeof iterateList>>();
  let limits: FindLimits = {};
  let last: Promise<unknown> = Promise.resolve();

  function inTime<Result>(work: (deadline: Deadline) => Promise<Result>): Promise<Result> {
    const { deadline, ...options } = limits;
    if (deadline) return work(deadline);
    return within(contexts.config, options, defaults.callTimeout, work);
  }

  function listOf(context: ClientContext): ReturnType<typeof iterateList> {
    const known = lists.get(context);
    if (known) return known;
    const list = iterateList((cursor) => inTime((deadline) => loadPage(context, cursor, deadline)));
    lists.set(context, list);
    return list;
  }

  async function search(sought: SoughtKey): Promise<KeySearch> {
    const { config } = contexts;
    const { idempotencyKey, apiKeyFingerprint } = sought;
    const { signal, deadline: limit } = limits;
    signal?.throwIfAborted();
    const now = config.clock.now();
    try {
      const owners = await inTime(async (deadline) =>
        contexts.owners(await contexts.acquire(deadline), apiKeyFingerprint),
      );
      if (owners.length === 0) return { status: "unknown", reason: "other_api_key" };
      let isBeyond = true;
      for (const context of owners) {
        const miss = await listOf(context)(sought, now);
        isBeyond &&= miss.isBeyond;
        if (miss.id === undefined) continue;
        const { data = { job_id: miss.id, status: "queued" } } = miss;
        const known = miss.data && { context };
        const origin = { idempotencyKey, fingerprint: context.fingerprint, ...known };
        return { status: "found", job: new JobRecord(contexts, data, origin) };
      }
      return judgeMiss(sought, isBeyond, now, config);
    } catch (error) {
      // A failed iteration cannot continue.
      lists.clear();
      signal?.throwIfAborted();
      limit?.throwIfAborted();
      return { status: "unknown", reason: "list_failed", error };
    }
  }

  return {
    find(sought, given = {}) {
      const found = last.then(() => {
        limits = given;
        return search(sought);
      });
      last = found.catch(() => undefined);
      return found;
    },
  };
}

/** Decides what it means that the list does not have the job. A pure function. */
function judgeMiss(
  { firstAttemptAt, hasKeyInMetadata }: SoughtKey,
  isBeyond: boolean,
  now: number,
  { keyTtl }: Pick<Config, "keyTtl">,
): KeySearch {
  const status = "unknown";
  if (!hasKeyInMetadata) return { status, reason: "key_not_in_metadata" };
  if (firstAttemptAt === undefined) return { status, reason: "no_first_attempt" };
  // The client sends nothing in the last tenth of the window, so a request has arrived by its end.
  const retryAt = firstAttemptAt + keyTtl + maxReadLag;
  if (now < retryAt) return { status, reason: "too_early", retryAt };
  return isBeyond ? { status: "absent" } : { status, reason: "list_too_short" };
}

/** Searches the lists of the keys that a submission with its key in the metadata can belong to. */
export function findSubmission(
  contexts: ClientContexts,
  { idempotencyKey, attemptLog, earlier }: SentSubmission,
  fingerprint: string | undefined,
  deadline: Deadline,
): Promise<KeySearch> {
  // The clock may have been set meanwhile.
  const age = Math.max(attemptLog.age ?? 0, earlier?.age() ?? 0);
  const since = deadline.clock.now() - age;
  const firstAttemptAt = Math.min(since, earlier?.firstAttemptAt ?? since);
  const sought = { idempotencyKey, firstAttemptAt, hasKeyInMetadata: true };
  return createJobLookup(contexts).find(
    { ...sought, apiKeyFingerprint: fingerprint },
    { deadline },
  );
}

export async function findByKey(
  contexts: ClientContexts,
  idempotencyKey: string,
  options: FindOptions,
): Promise<KeySearch> {
  rejectUnknown("findByKey", options, findOptionNames);
  const {
    firstAttemptAt,
    keyInMetadata = contexts.config.keyInMetadata,
    apiKeyFingerprint,
    ...limits
  } = options;
  const sought = {
    idempotencyKey,
    firstAttemptAt: readTime(firstAttemptAt, "firstAttemptAt"),
    hasKeyInMetadata: keyInMetadata === true,
    apiKeyFingerprint,
  };
  return createJobLookup(contexts).find(sought, limits);
}
