import { eventHeaders } from "../../delivery/event.ts";
import { nextAttemptAt } from "../../delivery/webhook-delivery.ts";
import { endsAt } from "../../service/job-scheduler.ts";
import type { DeliveryRecord, JobRecord, KeyRecord } from "../../store/records.ts";
import { maskKey } from "../masking.ts";
import type { ServerState } from "../server-states.ts";
import type { ControlledMock } from "./input.ts";
import { snakeCase } from "./snake-case.ts";
import { deliveryView, faultView, ledgerEntryView } from "./views.ts";

/** Maximum number of entries of each list on the page; default keys are always on it. */
const limits = { jobs: 100, deliveries: 50, addedKeys: 20, ledgerEntries: 20 } as const;

/** Everything that the page shows. Times are milliseconds since 1970 on the server's clock. */
export type State = ReturnType<typeof stateView>;

/**
 * Reads everything that the page shows in one transaction. Newest records are first in each list.
 *
 * @param generation Changes with each reset and restore, after which the same ids may be other records.
 */
export function stateView(
  mock: ControlledMock,
  { store, service }: ServerState,
  generation: number,
) {
  return store.transact((tables) => {
    const tasks = [
      ...tables.unfinished.all().map((job) => ({ kind: "job-end" as const, at: endsAt(job) })),
      ...tables.deliveries
        .all("pending")
        .map((one) => ({ kind: "delivery" as const, at: nextAttemptAt(one) })),
    ];
    const [next = null] = tasks
      .flatMap(({ kind, at }) => (at === null ? [] : { kind, at }))
      .toSorted((one, other) => one.at - other.at);
    const jobView = (job: JobRecord) => {
      const unfinished = tables.unfinished.get(job.id);
      const result = service.jobs.isPurged(job) ? null : job.result;
      const { id, keyId, origin: _, durationMs, ...shown } = job;
      const { completedAt } = job;
      return {
        job_id: id,
        ...snakeCase(shown),
        api_key: maskKey(tables.keys.get(keyId)?.token ?? ""),
        /** Null while the job is queued. */
        started_at:
          completedAt === null ? (unfinished?.startedAt ?? null) : completedAt - (durationMs ?? 0),
        /** Null if the job has ended, is queued or never ends. */
        due_at: unfinished === undefined ? null : endsAt(unfinished),
        result: result && {
          width: result.width,
          height: result.height,
          bytes: result.length,
        },
      };
    };
    const keyView = (key: KeyRecord) => {
      const account = tables.accounts.get(key.accountId);
      const entries = tables.ledger.all(key.id);
      return {
        key_id: key.id,
        api_key: maskKey(key.token),
        /** The whole key, which only a default key shows. */
        token: defaultTokens.includes(key.token) ? key.token : null,
        name: key.name,
        mode: key.mode,
        state: account?.state === "flagged" ? account.state : key.state,
        credits: key.credits,
        rate_limit_per_min: key.rateLimitPerMinute,
        total_calls: key.totalCalls,
        ledger: {
          total: entries.length,
          latest: entries.slice(-limits.ledgerEntries).toReversed().map(ledgerEntryView),
        },
      };
    };
    const defaultTokens = Object.values(mock.keys);
    const defaultKeys = defaultTokens.flatMap((token) => tables.keyByToken(token) ?? []);
    const addedKeys = tables.keys
      .latest(limits.addedKeys)
      .filter(({ token }) => !defaultTokens.includes(token));
    const { jobs, deliveries } = tables;
    return {
      now: service.now(),
      clock: mock.clock.mode,
      generation,
      next,
      jobs: {
        counts: {
          queued: jobs.count("queued"),
          running: jobs.count("running"),
          succeeded: jobs.count("succeeded"),
          failed: jobs.count("failed"),
        },
        latest: jobs.latest(limits.jobs).map(jobView),
      },
      deliveries: {
        total: deliveries.count(),
        latest: deliveries.latest(limits.deliveries).map((delivery: DeliveryRecord) => ({
          ...deliveryView(delivery),
          headers: eventHeaders(delivery.jobId, delivery.signature),
          next_attempt_at: nextAttemptAt(delivery),
        })),
      },
      keys: [...defaultKeys, ...addedKeys].map(keyView),
      next_jobs: service.nextJobs.state.map(({ outcome, apiKey }) => ({
        outcome: outcome.ending,
        error_message: outcome.errorMessage,
        duration_ms: outcome.durationMs,
        api_key: apiKey === null ? null : maskKey(apiKey),
      })),
      faults: mock.faults.list().map(faultView),
    };
  });
}
