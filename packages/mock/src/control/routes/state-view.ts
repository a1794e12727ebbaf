import { optionTable } from "../../options.ts";
import type { DeliveryRecord, JobRecord, JobStatus, KeyRecord } from "../../store/records.ts";
import type { Transaction } from "../../store/store.ts";
import type { ScheduledTask } from "../../system/system.ts";
import { maskKey } from "../masking.ts";
import type { ServerState } from "../server-states.ts";
import type { ControlledMock } from "./input.ts";
import { attemptView, faultView, ledgerEntryView } from "./views.ts";

/** Maximum number of entries of each list on the page; default keys are always on it. */
const limits = { jobs: 100, deliveries: 50, addedKeys: 20, ledgerEntries: 20 } as const;

/** Maximum milliseconds between a request and the creation of its job, which a fault may delay. */
const maxSubmissionTime = 600_000;

/** Everything that the page shows. Times are milliseconds since 1970 on the server's clock. */
export type State = ReturnType<typeof stateView>;

/** Reads everything that the page shows in one transaction. */
export function stateView(
  mock: ControlledMock,
  serverState: ServerState,
  generation: number,
  query: { readonly status?: JobStatus | undefined; readonly jobId?: string | undefined },
) {
  const { store, service } = serverState;
  return store.transact((transaction) => {
    const view = new StateView(mock, serverState, transaction);
    const { status, jobId } = query;
    const jobs = transaction.latestJobs({ limit: limits.jobs, ...(status && { status }) });
    const { deliveries, total } = transaction.latestDeliveries(limits.deliveries);
    const job = jobId === undefined ? undefined : transaction.job(jobId);
    return {
      now: service.now(),
      clock: mock.clock.mode,
      /** Changes with each reset and restore, after which the same ids may be other records. */
      generation,
      /** The task that is due first. */
      next: view.nextTask(),
      jobs: { counts: transaction.jobCounts(), latest: jobs.map(view.job) },
      /** The job of the query; null if it does not exist. */
      ...(jobId !== undefined && { chosen: job === undefined ? null : view.jobDetails(job) }),
      deliveries: { total, latest: deliveries.map(view.delivery) },
      keys: view.keys(),
      next_jobs: service.nextJobs.state.map(({ outcome, apiKey }) => ({
        outcome: outcome.ending,
        error_message: outcome.errorMessage,
        duration_ms: outcome.durationMs,
        api_key: apiKey === null ? null : maskKey(apiKey),
      })),
      faults: mock.faults.list().map(faultView),
      /** Options whose values differ from their defaults. */
      options: optionTable.flatMap(({ id, summary, values }) =>
        mock.options[id] === values[0]
          ? []
          : [{ id, summary, value: mock.options[id], default: values[0] }],
      ),
    };
  });
}

/** Views of records within one transaction. Newest records are first in each list. */
class StateView {
  readonly #mock: ControlledMock;
  readonly #service: ServerState["service"];
  readonly #tasks: readonly ScheduledTask[];
  readonly #dueTimes: ReadonlyMap<string, number>;
  readonly #transaction: Transaction;

  constructor(mock: ControlledMock, { service, system }: ServerState, transaction: Transaction) {
    this.#mock = mock;
    this.#service = service;
    this.#tasks = system.scheduler.tasks;
    this.#dueTimes = new Map(this.#tasks.map(({ kind, id, dueAt }) => [`${kind} ${id}`, dueAt]));
    this.#transaction = transaction;
  }

  nextTask() {
    const [task] = this.#tasks.toSorted((one, other) => one.dueAt - other.dueAt);
    return task === undefined ? null : { kind: task.kind, at: task.dueAt };
  }

  readonly job = (job: JobRecord) => {
    const key = this.#transaction.key(job.keyId);
    const result = this.#service.jobs.isPurged(job) ? null : job.result;
    const { completedAt, durationMs } = job;
    return {
      job_id: job.id,
      status: job.status,
      output_size: job.outputSize,
      cost_credits: job.costCredits,
      test_mode: job.testMode,
      api_key: maskKey(key?.token ?? ""),
      created_at: job.createdAt,
      /** Null while the job is queued. */
      started_at:
        completedAt === null
          ? (this.#service.startedAt(job.id) ?? null)
          : completedAt - (durationMs ?? 0),
      /** Null if the job has ended, is queued or never ends. */
      due_at: this.#dueAt("job-end", job.id),
      completed_at: completedAt,
      error_code: job.errorCode,
      error_message: job.errorMessage,
      metadata: job.metadata,
      seed: job.seed,
      webhook_url: job.webhookUrl,
      result: result && {
        width: result.width,
        height: result.height,
        bytes: result.bytes.length,
      },
    };
  };

  /** The prompt and the instruction are null if the journal no longer has the job's request. */
  jobDetails(job: JobRecord) {
    const requests = this.#mock.journal.entries({
      method: "POST",
      path: "/api/v1/tryon",
      since: job.createdAt - maxSubmissionTime,
    });
    const submission = requests.find(({ jobId }) => jobId === job.id)?.submission;
    const prompt = submission?.fields["prompt"];
    const deliveries = this.#transaction.deliveries(job.id);
    return {
      ...this.job(job),
      prompt: typeof prompt === "string" ? prompt : null,
      instruction: submission?.instruction ?? null,
      deliveries: deliveries.map(this.delivery).toReversed(),
    };
  }

  readonly delivery = (delivery: DeliveryRecord) => ({
    delivery_id: delivery.id,
    job_id: delivery.jobId,
    url: delivery.url,
    cause: delivery.cause,
    repeats: delivery.repeats,
    state: delivery.state,
    next_attempt_at: this.#dueAt("delivery", delivery.id),
    attempts: delivery.attempts.map(attemptView),
  });

  /** Returns the default keys and the newest added keys. */
  keys() {
    const tokens = Object.values(this.#mock.keys);
    const defaults = tokens.map((token) => this.#transaction.keyByToken(token));
    const latest = this.#transaction.latestKeys(limits.addedKeys);
    const added = latest.filter(({ token }) => !tokens.includes(token));
    return [
      ...defaults.flatMap((key) => (key === undefined ? [] : [this.#key(key, key.token)])),
      ...added.map((key) => this.#key(key, null)),
    ];
  }

  /** @param token The whole key, which only a default key shows. */
  #key(key: KeyRecord, token: string | null) {
    const account = this.#transaction.account(key.accountId);
    const entries = this.#transaction.ledger(key.id);
    return {
      key_id: key.id,
      api_key: maskKey(key.token),
      token,
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
  }

  #dueAt(kind: ScheduledTask["kind"], id: string): number | null {
    return this.#dueTimes.get(`${kind} ${id}`) ?? null;
  }
}
